"""The end of a file that grows, is rotated, cut and damaged."""

from __future__ import annotations

import os

import pytest

from fabric.serve.tail import Tail


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "lines"
    path.write_bytes(b"")
    return path


def _append(file, content: bytes) -> None:
    with file.open("ab") as opened:
        opened.write(content)


def test_a_line_comes_once_and_whole(file) -> None:
    tail = Tail(file)
    _append(file, b"one\ntw")
    assert tail.lines() == [b"one"]
    assert tail.lines() == []
    _append(file, b"o\nthree\n\n")
    assert tail.lines() == [b"two", b"three"]


def test_another_file_and_a_shorter_one_begin_again(file) -> None:
    tail = Tail(file)
    _append(file, b"one\ntwo\n")
    assert tail.lines() == [b"one", b"two"]
    file.rename(file.with_suffix(".1"))
    assert tail.lines() == []
    assert tail.error == "no such file or directory"
    file.write_bytes(b"three\n")
    assert (tail.lines(), tail.error) == ([b"three"], "")
    file.write_bytes(b"4\n")
    assert tail.lines() == [b"4"]


def test_of_a_long_file_the_end_is_read(file) -> None:
    _append(file, b"".join(b"line %d\n" % number for number in range(100)))
    assert Tail(file, first_bytes=20).lines() == [b"line 98", b"line 99"]


def test_a_long_line_is_skipped_and_counted(file) -> None:
    tail = Tail(file, step_bytes=64, most_line_bytes=32)
    _append(file, b"a" * 200)
    for _ in range(5):
        assert tail.lines() == []
    _append(file, b"a\nshort\n" + b"b" * 40 + b"\nlast\n")
    assert [line for _ in range(4) for line in tail.lines()] == [b"short", b"last"]
    assert tail.too_long == 2


def test_what_is_not_a_file_is_reported(tmp_path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, error in (
        (tmp_path, "not a regular file but a folder"),
        (tmp_path / "pipe", "not a regular file but a pipe"),
    ):
        tail = Tail(path)
        assert (tail.lines(), tail.error) == ([], error)
