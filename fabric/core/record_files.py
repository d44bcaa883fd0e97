"""Files of JSON lines, plain or compressed by Zstandard (RFC 8878), read within bounds.

A file whose name ends with ``.zst`` is written compressed; one that is read is recognised by its
first bytes. Each run appends a frame of its own. What a run that was killed had written is kept.
"""

from __future__ import annotations

import io
from contextlib import ExitStack
from typing import TYPE_CHECKING, BinaryIO, Self, cast

from fabric.core.errors import InputError
from fabric.core.file_kinds import FileKind
from fabric.core.user_files import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SUFFIX = ".zst"
#: RFC 8878 section 3.1.1, Magic_Number, little-endian.
_MAGIC = b"\x28\xb5\x2f\xfd"
#: RFC 8878 section 3.1.1.1.2 recommends decoders to support windows of at least 8 MB; ours at most.
_WINDOW_BYTES = 8 << 20
#: Limits that we chose: a record of the largest chassis, and what a file of readings may have.
MOST_LINE_BYTES = 64 << 20
MOST_BYTES = FileKind.READINGS.most_bytes
#: A limit that we chose: a compressed file of blank lines would take hours. It is 64 times the
#: records of an hour of 2,000 devices.
MOST_LINES = 1 << 24


class RecordFile:
    """Appends lines to a file; each is there for readers when `write` returns.

    Raises
    ------
    InputError
        When the file cannot be opened or written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stack = ExitStack()
        try:
            file = self._stack.enter_context(path.open("ab"))
        except OSError as error:
            raise self._error(error) from error
        self._file = self._out = cast("BinaryIO", file)
        if path.name.endswith(SUFFIX):
            import zstandard

            writer = zstandard.ZstdCompressor().stream_writer(file, closefd=False)
            self._out = cast("BinaryIO", self._stack.enter_context(writer))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def write(self, line: str) -> None:
        """Append a line, which ends with a line feed."""
        try:
            self._out.write(line.encode())
            self._out.flush()
            self._file.flush()
        except OSError as error:
            raise self._error(error) from error

    def _error(self, error: OSError) -> InputError:
        return InputError(f"{self._path}: cannot write the records: {error.strerror}")


def lines_of(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield number and content of each line of a file, without holding more than one.

    Raises
    ------
    InputError
        When the file cannot be read, is damaged, or is larger than the bounds.
    """
    import zstandard

    try:
        with open_regular(path, FileKind.READINGS) as file:
            is_compressed = file.read(len(_MAGIC)) == _MAGIC
            file.seek(0)
            yield from _lines(path, _plain(file) if is_compressed else file)
    except OSError as error:
        raise InputError(f"{path}: the file cannot be read: {error.strerror}") from error
    except zstandard.ZstdError as error:
        raise InputError(f"{path}: the file is damaged: {error}; copy it again") from error


def _plain(file: BinaryIO) -> BinaryIO:
    import zstandard

    reader = zstandard.ZstdDecompressor(max_window_size=_WINDOW_BYTES).stream_reader(
        file, read_across_frames=True
    )
    return cast("BinaryIO", io.BufferedReader(cast("io.RawIOBase", reader), 1 << 20))


def _lines(path: Path, file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    total_bytes = number = 0
    while line := file.readline(MOST_LINE_BYTES + 1):
        number += 1
        total_bytes += len(line)
        if len(line) > MOST_LINE_BYTES or total_bytes > MOST_BYTES:
            most = MOST_LINE_BYTES if len(line) > MOST_LINE_BYTES else MOST_BYTES
            raise InputError(f"{path}:{number}: longer than {most >> 20} MiB; split the file")
        if number > MOST_LINES:
            raise InputError(f"{path}: more than {MOST_LINES:,} lines; split the file")
        yield number, line
