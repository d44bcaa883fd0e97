"""Files of lines: compressed or not, appended, cut, damaged, too large."""

from __future__ import annotations

import io
import os
import tracemalloc

import pytest
import zstandard
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from fabric.core import record_files
from fabric.core.errors import InputError
from fabric.core.record_files import RecordFile, lines_of
from tests.cases import examples

NAMES = ("a.jsonl", "a.jsonl.zst")


@pytest.mark.parametrize("name", NAMES)
def test_lines_are_appended_run_after_run(tmp_path, name: str) -> None:
    path = tmp_path / name
    for number in range(3):
        with RecordFile(path) as file:
            file.write(f"{number}\n")
    assert list(lines_of(path)) == [(1, b"0\n"), (2, b"1\n"), (3, b"2\n")]
    assert (path.read_bytes()[:4] == record_files._MAGIC) is name.endswith(".zst")


@pytest.mark.parametrize("name", NAMES)
def test_a_line_is_there_when_it_is_written(tmp_path, name: str) -> None:
    path = tmp_path / name
    file = RecordFile(path)
    file.write("first\n")
    file.write("second\n")
    assert [line for _, line in lines_of(path)] == [b"first\n", b"second\n"], "as after a kill"
    file.__exit__(None, None, None)


def test_the_suffix_does_not_decide_how_a_file_is_read(tmp_path) -> None:
    path = tmp_path / "renamed.jsonl"
    path.write_bytes(zstandard.compress(b"one\n"))
    assert list(lines_of(path)) == [(1, b"one\n")]


@pytest.mark.parametrize("name", NAMES)
def test_a_file_that_grows_too_large_is_refused_with_little_memory(
    tmp_path, monkeypatch, name: str
) -> None:
    monkeypatch.setattr(record_files, "MOST_LINE_BYTES", 1 << 20)
    path = tmp_path / name
    content = b"x" * (256 << 20)
    path.write_bytes(zstandard.compress(content) if name.endswith(".zst") else content)
    tracemalloc.start()
    with pytest.raises(InputError, match="1: longer than 1 MiB"):
        list(lines_of(path))
    most_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most_bytes < 16 << 20


def test_many_lines_are_bounded_as_a_whole(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(record_files, "MOST_BYTES", 4 << 20)
    path = tmp_path / "a.zst"
    path.write_bytes(zstandard.compress(b"line\n" * (2 << 20)))
    with pytest.raises(InputError, match="longer than 4 MiB; split the file"):
        for _ in lines_of(path):
            pass


def test_a_window_that_needs_much_memory_is_refused(tmp_path) -> None:
    parameters = zstandard.ZstdCompressionParameters(window_log=27)
    out = io.BytesIO()
    with zstandard.ZstdCompressor(compression_params=parameters).stream_writer(
        out, closefd=False
    ) as writer:
        writer.write(os.urandom(1 << 20) * 200)
    path = tmp_path / "a.zst"
    path.write_bytes(out.getvalue())
    with pytest.raises(InputError, match="the file is damaged"):
        list(lines_of(path))


#: With its checksum: else a byte can turn into more ends of lines, and nothing shows it.
WHOLE = zstandard.ZstdCompressor(write_checksum=True).compress(
    b"".join(b"line %d\n" % number for number in range(50))
)


@given(st.integers(4, len(WHOLE) - 1), st.integers(0, 255), st.booleans())
@examples(60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damage_is_no_traceback(tmp_path, place: int, byte: int, cut: bool) -> None:
    path = tmp_path / "a.zst"
    damaged = WHOLE[:place] if cut else WHOLE[:place] + bytes([byte]) + WHOLE[place + 1 :]
    path.write_bytes(damaged)
    try:
        assert len(list(lines_of(path))) <= 51
    except InputError as error:
        assert str(path) in str(error)


@pytest.mark.parametrize("name", NAMES)
def test_a_folder_is_no_file(tmp_path, name: str) -> None:
    path = tmp_path / name
    path.mkdir()
    with pytest.raises(InputError, match="cannot write the records"):
        RecordFile(path)
    with pytest.raises(InputError, match="not a regular file but a folder"):
        list(lines_of(path))
