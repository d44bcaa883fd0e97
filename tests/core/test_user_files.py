"""Files that a user names: regular files alone, none without limit, none that hangs or blows up."""

from __future__ import annotations

import json
import os
import tracemalloc
from codecs import BOM_UTF8
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import Mock

import pytest

from fabric.core import json_text
from fabric.core.errors import FileError
from fabric.core.file_kinds import FileKind
from fabric.core.json_text import MAX_DEPTH, parse_json
from fabric.core.user_files import check_regular, open_regular, read_bytes, read_json, read_text
from tests.cases import each
from tests.core.hostile_files import SPECIAL, hostile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

KIND = FileKind.CONNECTIONS


@contextmanager
def refused(fault: str, reason: str) -> Iterator[None]:
    with pytest.raises(FileError) as caught:
        yield
    assert (caught.value.fault, reason in str(caught.value)) == (fault, True), str(caught.value)
    assert caught.value.finding.fix
    assert caught.value.finding.rule == KIND.rule


@each("name", SPECIAL)
def test_what_is_no_regular_file_is_refused_before_it_is_opened(tmp_path: Path, name: str) -> None:
    path = hostile(tmp_path / name.replace(" ", "-"), name)
    with refused("special", f"not a regular file but {SPECIAL[name]}"):
        read_bytes(path, KIND)
    with refused("special", "not a regular file but"):
        check_regular(path, KIND)


def test_a_file_that_is_too_large_takes_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "large.json"
    with path.open("wb") as file:
        file.truncate(3 << 30)
    tracemalloc.start()
    with refused("large", f"large.json: the file is larger than {KIND.size}"):
        read_bytes(path, KIND)
    most_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most_bytes < 1 << 20


def test_a_file_may_have_its_largest_size_and_not_a_byte_more(tmp_path: Path) -> None:
    path, kind = tmp_path / "note", FileKind.NOTE
    path.write_bytes(b"x" * kind.most_bytes)
    assert len(read_bytes(path, kind)) == kind.most_bytes
    path.write_bytes(b"x" * (kind.most_bytes + 1))
    with pytest.raises(FileError, match="larger than 64 KiB"):
        read_bytes(path, kind)
    with open_regular(path, kind, any_size=True) as file:
        assert file.read(1) == b"x"


def test_a_file_that_says_no_size_is_read_up_to_the_limit() -> None:
    """Files of /proc are regular and of size 0."""
    assert read_bytes(Path("/proc/self/status"), FileKind.NOTE).startswith(b"Name:")


def replaced_by_a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def grown(path: Path) -> None:
    path.write_bytes(b"x" * (FileKind.NOTE.most_bytes + 1))


@each(("change", "reason"), [(replaced_by_a_pipe, "a pipe"), (grown, "larger than 64 KiB")])
def test_a_file_that_becomes_another_one_meanwhile_is_refused(
    tmp_path: Path, change: Callable[[Path], None], reason: str
) -> None:
    path, real = tmp_path / change.__name__, os.open
    path.write_text("text")

    def late(*words: Any) -> int:
        change(path)
        return real(*words)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "open", late)
        with pytest.raises(FileError, match=reason):
            read_bytes(path, FileKind.NOTE)


def test_what_cannot_be_read_says_why(tmp_path: Path) -> None:
    with refused("missing", "cannot be read: no such file or directory"):
        read_text(tmp_path / "none", KIND)
    (tmp_path / "loop").symlink_to("loop")
    with refused("unreadable", "cannot be read: too many levels"):
        read_text(tmp_path / "loop", KIND)
    with refused("unreadable", "cannot be read: embedded null"):
        read_text(Path("a\0b"), KIND)
    check_regular(tmp_path / "none", KIND)


def test_a_file_that_is_not_allowed_says_so(tmp_path: Path) -> None:
    """As root every file may be read, so the answer of the kernel is given here."""
    (tmp_path / "secret").touch()
    with pytest.MonkeyPatch.context() as patch, refused("unreadable", "permission denied"):
        patch.setattr(os, "open", Mock(side_effect=PermissionError(13, "Permission denied")))
        read_text(tmp_path / "secret", KIND)


def test_a_link_is_followed_to_a_regular_file_or_not_at_all(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    (tmp_path / "link").symlink_to("file")
    assert read_text(tmp_path / "link", KIND) == "text"
    with pytest.raises(FileError, match="not a regular file"):
        read_text(tmp_path / "link", KIND, follow=False)


def test_text_has_line_feeds_and_wrong_bytes_have_a_place(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes("a\r\nü\rb\n".encode())
    assert read_text(path, KIND) == "a\nü\nb\n"
    for mark in (b"", BOM_UTF8):
        path.write_bytes(mark + b"line 1\nab\xff\n")
        with refused("content", "text:2:3: not UTF-8 text"):
            read_text(path, KIND)
    path.write_bytes(BOM_UTF8 + b"{}")
    assert read_json(path, KIND) == {}


#: JSON that is refused: text, what is said with its place.
REFUSED = {
    "no JSON": ('{\n "a" 1}', "2:6: not JSON: expecting ':' delimiter"),
    "cut": ('{"a": [1,\n', "2:1: not JSON: the text ends before it is whole"),
    "nothing": ("", "1:1: not JSON: expecting value"),
    "deep lists": ("[" * 200_000, f"1:{MAX_DEPTH + 1}: not JSON: nested deeper than 64 levels"),
    "deep, and whole": ("[" * 65 + "]" * 65, "1:65: not JSON: nested deeper than 64 levels"),
    "deep objects": ('{"[":\n' * 900 + "1" + "}" * 900, "65:1: not JSON: nested deeper"),
    "a long number": (f'{{"a":\n-{"1" * 5000}}}', "2:2: not JSON: a number has more than 4,300"),
    "an infinite number": ('{"a": 1e999}', "1:7: not JSON: the number 1e999 is not finite"),
    "NaN": ("[NaN]", "1:2: not JSON: the number NaN is not finite"),
}


@each("name", REFUSED)
def test_json_that_is_refused_has_its_place(tmp_path: Path, name: str) -> None:
    text, says = REFUSED[name]
    path = tmp_path / "file.json"
    path.write_text(text)
    with refused("content", f"file.json:{says}"):
        read_json(path, KIND)


def test_json_of_others_is_read_as_the_standard_library_reads_it() -> None:
    text = json.dumps({"a": [1, 2.5, "x[[[", None, True, -0.0, 10**4000], "b": {}})
    assert parse_json(text) == json.loads(text) == parse_json(text.encode())
    assert parse_json("[" * 64 + "]" * 64)
    assert parse_json('{"a": 1, "a": 2}', list) == [("a", 1), ("a", 2)]
    with pytest.raises(json.JSONDecodeError, match="not UTF-8 text: line 1 column 3"):
        parse_json(b'["\xff"]')


def test_values_are_counted_before_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_text, "MOST_VALUES", 1000)
    assert len(parse_json(f"[{'1,' * 900}1]")) == 901
    with pytest.raises(json.JSONDecodeError, match="more than 1,000 values"):
        parse_json(f"[{'1,' * 1000}1]")
    assert parse_json(json.dumps([",[{" * 1000])) == [",[{" * 1000]


def test_each_kind_has_a_limit_with_a_reason_and_advice() -> None:
    for kind in FileKind:
        assert kind.most_bytes > 0
        assert any(sign.isdigit() for sign in kind.size)
        assert len(kind.why) > 10, kind
        assert len(kind.fix) > 5, kind
