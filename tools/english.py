# SPDX-License-Identifier: GPL-2.0-only
"""Words that slow a reader of technical English down, and what to write instead."""

import re
from collections.abc import Iterator

_INSTEAD = {
    r"but for": "except, apart from",
    r"anew": "again",
    r"at hand": "available",
    r"mend(?:s|ed|ing)?": "correct, repair",
    r"reckon(?:s|ed|ing)?": "count, assume, model",
    r"ha(?:s|ve|d) not(?=[.,;:)])": "lack",
    r"shall not be": "must not be",
    r"in vain": "without effect",
    r"needless(?:ly)?": "unnecessary",
    r"of late": "recent",
    r"spoilt": "invalidated",
    r"hears? of": "learn of, handle",
    r"tells? of": "report",
    r"what it takes": "name it: memory, time, requirements",
    r"(?:bytes|segments|packets|events|drops|losses|users|lines?|rows?|once|twice|many times)"
    r" an? (?:second|minute|round|window|flow|script|cell)": "per",
}
_IDIOM = re.compile(r"\b(?:" + "|".join(f"({words})" for words in _INSTEAD) + r")\b")


def idioms(text: str) -> Iterator[tuple[int, str, str]]:
    """The line, the words, and what to write instead, for each idiom in `text`."""
    text = text.lower()
    if not _IDIOM.search(text):
        return
    for number, line in enumerate(text.splitlines(), 1):
        for found in _IDIOM.finditer(line):
            yield number, found[0], tuple(_INSTEAD.values())[(found.lastindex or 0) - 1]
