# SPDX-License-Identifier: GPL-2.0-only
"""A recording of a gateway with the page that plays it, in one file."""

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from penstock.errors import UserError
from penstock.version import PACKAGE

_SCRIPTS: Final = ("chart.js", "path.js", "page.js")
_PAGE: Final = Path("linux/gateway/page")
_HEAD: Final = re.compile(r'<link rel="stylesheet".*?>\n|<script src=.*?</script>\n')


def _folder() -> Path:
    """Where the page of `penstock-gw serve` is: the checkout, or the installed copy."""
    for folder in (PACKAGE.parent, PACKAGE / "source"):
        if (folder / _PAGE / "page.html").is_file():
            return folder / _PAGE
    raise UserError("the page of penstock-gw is missing; reinstall Penstock")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def page(lines: Sequence[dict[str, Any]]) -> str:
    """The page of `penstock-gw serve` with its style, its scripts and a recording inside."""
    folder = _folder()
    style = (folder / "page.css").read_text(encoding="utf-8")
    scripts = [(folder / name).read_text(encoding="utf-8") for name in _SCRIPTS]
    # A browser ends the element at the first "</", wherever that is.
    data = "\n".join(json.dumps(line, separators=(",", ":")) for line in lines)
    data = data.replace("</", r"<\/")
    inside = [f'<script type="application/x-ndjson" id="recording">{data}']
    inside += [f"<script>{script}" for script in scripts]
    policy = (
        f"default-src 'none'; img-src data:; style-src {_hash(style)}; "
        f"script-src {' '.join(map(_hash, scripts))}"
    )
    head = (
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n<style>{style}</style>\n'
    )
    html = _HEAD.sub("", (folder / "page.html").read_text(encoding="utf-8"))
    html = html.replace('<meta name="viewport"', f'{head}<meta name="viewport"')
    return html.replace("</body>", "".join(f"{one}</script>\n" for one in inside) + "</body>")
