"""Writing files where others may write too."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_whole(path: Path, content: bytes, mode: int | None = None) -> None:
    """Write a file complete or not at all, and follow no link that somebody put in its way.

    The content goes to a new file of a random name (``mkstemp``: O_EXCL, O_NOFOLLOW, mode 0600),
    which then takes the place of whatever bears the name: a link is replaced, never followed.

    Parameters
    ----------
    mode : int or None
        Of the file; None is what the user's umask leaves of 0666.

    Raises
    ------
    OSError
        When it cannot be written; nothing is left behind then.
    """
    handle, name = tempfile.mkstemp(prefix=f".{path.name[:100]}-", suffix=".part", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fchmod(file.fileno(), _usual_mode() if mode is None else mode)
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _usual_mode() -> int:
    umask = os.umask(0o077)
    os.umask(umask)
    return 0o666 & ~umask
