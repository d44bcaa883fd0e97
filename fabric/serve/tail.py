"""The end of a file that another program appends lines to, and may rotate, cut or damage."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from fabric.core.errors import FileError
from fabric.core.file_kinds import FileKind
from fabric.core.user_files import open_regular

if TYPE_CHECKING:
    from pathlib import Path

#: What is read of a file at the start, and at a time later; our choice.
FIRST_BYTES, STEP_BYTES = 64 << 20, 16 << 20
#: Longest line that is taken, our choice: a record of a switch with 512 ports has 1 MB.
MOST_LINE_BYTES = 8 << 20


class Tail:
    """Returns the lines that a file has got since the last time.

    Parameters
    ----------
    path : Path
        The file; it may come later, and be replaced by another one.
    first_bytes, step_bytes, most_line_bytes : int
        Limits of what is read at the start, at a time, and in one line.
    """

    def __init__(
        self,
        path: Path,
        first_bytes: int = FIRST_BYTES,
        step_bytes: int = STEP_BYTES,
        most_line_bytes: int = MOST_LINE_BYTES,
    ) -> None:
        self._path = path
        self._first, self._step, self._most = first_bytes, step_bytes, most_line_bytes
        self._file: tuple[int, int] | None = None
        self._offset = 0
        self._is_inside = False
        #: Why the file cannot be read, or empty.
        self.error = ""
        #: Lines that were longer than the limit.
        self.too_long = 0

    def lines(self) -> list[bytes]:
        """Return whole lines; the rest of a line comes when it is whole."""
        try:
            return self._lines()
        except FileError as error:
            self.error = error.finding.message.removeprefix("cannot be read: ")
            return []
        except OSError as error:
            self.error = (error.strerror or str(error)).lower()
            return []

    def _lines(self) -> list[bytes]:
        with open_regular(self._path, FileKind.READINGS, any_size=True) as file:
            status = os.fstat(file.fileno())
            self.error = ""
            self._turn_to((status.st_dev, status.st_ino), status.st_size)
            file.seek(self._offset)
            return self._whole(file.read(self._step))

    def _turn_to(self, file: tuple[int, int], size: int) -> None:
        """Begin again with a file that is another one, or shorter than before."""
        if self._file == file and size >= self._offset:
            return
        is_first = self._file is None
        self._file = file
        self._offset = max(0, size - self._first) if is_first else 0
        self._is_inside = self._offset > 0  # the first line of the rest may not be whole

    def _whole(self, content: bytes) -> list[bytes]:
        end = content.rfind(b"\n") + 1
        if not end and len(content) >= min(self._most, self._step):
            self._offset += len(content)  # the rest of a line that is too long is skipped
            self.too_long += not self._is_inside
            self._is_inside = True
            return []
        self._offset += end
        lines = content[:end].splitlines()
        if lines and self._is_inside:
            del lines[0]
            self._is_inside = False
        whole = [line for line in lines if line and len(line) <= self._most]
        self.too_long += sum(len(line) > self._most for line in lines)
        return whole
