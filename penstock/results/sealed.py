# SPDX-License-Identifier: GPL-2.0-only
"""JSON files of results: written atomically, with a schema version and a digest.

The digest is the SHA-256 of the content without it, written without blanks and with sorted keys.
"""

import hashlib
import json
import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from penstock.errors import ConfigError

SCHEMA_VERSION: Final = 2
_VERSION, _DIGEST = "schema_version", "sha256"
_PARTIAL: Final = ".partial"
_LONGEST: Final = 200  # letters of a name, to which a file system lets some be added


def canonical(content: object) -> str:
    """The one text of a JSON value."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"))


def labelled(content: Mapping[str, Any]) -> dict[str, Any]:
    """The content with the schema version."""
    return {_VERSION: SCHEMA_VERSION, **content}


def _digest(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical(content).encode()).hexdigest()


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A file beside `path` that replaces it when complete; after an error it is gone.

    A symbolic link stays one. What is no file, such as /dev/stdout, is written itself. Threads and
    processes that write the same file do so side by side, and the last one remains.
    """
    target = path.resolve()
    if target.exists() and not target.is_file():
        yield path
        return
    writer = f".{os.getpid():x}{threading.get_ident():x}"
    partial = target.with_name(target.name[:_LONGEST] + writer + _PARTIAL)
    try:
        yield partial
        partial.rename(target)
    except BaseException:
        with suppress(OSError):
            partial.unlink()
        raise


def remove_partial(folder: Path, names: Iterable[str]) -> None:
    """Removes what killed runs left of files with these names, which may be patterns."""
    for name in names:
        for partial in folder.glob(f"{name}.*{_PARTIAL}"):
            partial.unlink(missing_ok=True)


def write(path: Path, content: Mapping[str, Any], indent: int | None = None) -> bool:
    """Writes a file; false if it was there already, the same to the byte."""
    whole = labelled(content)
    whole = {_VERSION: SCHEMA_VERSION, _DIGEST: _digest(whole), **content}
    data = json.dumps(whole, indent=indent, ensure_ascii=False).encode() + b"\n"
    if path.is_file() and path.read_bytes() == data:
        return False
    with replacing(path) as partial:
        partial.write_bytes(data)
    return True


def read(path: Path) -> dict[str, Any] | None:
    """The content of a file; None if there is none, exit 78 if it is not as it was written."""
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise _damaged(path, "no JSON text") from None
    if not isinstance(content, dict):
        raise _damaged(path, "no JSON object")
    version = content.get(_VERSION)
    if type(version) is not int or version != SCHEMA_VERSION:
        raise ConfigError(
            f"{path}: {_VERSION} is {version!r}, this Penstock knows {SCHEMA_VERSION}; "
            "use the version that wrote it, or another folder"
        )
    if content.pop(_DIGEST, None) != _digest(content):
        raise _damaged(path, f"its content does not fit its {_DIGEST}")
    return content


def _damaged(path: Path, what: str) -> ConfigError:
    return ConfigError(
        f"{path}: damaged ({what}); remove it and repeat the command: finished runs are kept"
    )
