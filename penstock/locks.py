# SPDX-License-Identifier: GPL-2.0-only
"""Locks of files, where the file system has them: Lustre without -o flock has none, NFS may not."""

import errno
import fcntl
from typing import IO, Any, Final

_NONE: Final = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EINVAL)


def take(file: IO[Any], wait: bool = False) -> bool:
    """Locks an open file until it is closed; false where its file system has no locks.

    Raises BlockingIOError where another process has it, unless this is to wait for that one.
    """
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError as error:
        if error.errno in _NONE:
            return False
        raise
    return True
