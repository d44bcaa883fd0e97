"""The YAML reader: data, positions, and no error but InputError whatever the bytes are."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from fabric.core.errors import InputError
from fabric.core.findings import Position
from fabric.intent.yaml import file as yamlfile
from fabric.intent.yaml import tree as yaml_tree
from fabric.intent.yaml.file import load_yaml, parse_yaml
from tests.cases import each

SAMPLE = b"""\
# a comment
name: demo
units:
  - name: su1
    hosts: "gpu[1-4]"
  - {name: su2, hosts: x}
12: {a: }
"text": >-
  folded
"""


class PlainDumper(yaml.SafeDumper):
    """Dumps without aliases, with all text in quotes."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _quoted_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"')


PlainDumper.add_representer(str, _quoted_text)

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**18), 10**18)
    | st.floats(allow_nan=False, allow_infinity=False)
    | text
)
keys = text | st.integers(0, 10**9)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4)
)
mappings = st.dictionaries(keys, values, max_size=6)
yamlish = st.text(
    st.sampled_from(list("ab0:-[]{},&*!|>'\"%@#?~<= \n\t\\é\x85\u2028\ufeff\U0001f600")),
    max_size=60,
)


@pytest.fixture(params=["libyaml", "python"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    name = str(request.param)
    if name == "python":
        monkeypatch.setattr(yaml_tree, "Loader", yaml.SafeLoader)
    return name


@pytest.mark.usefixtures("parser")
def test_data_and_positions() -> None:
    document = parse_yaml(SAMPLE, "f.yaml")
    assert document.data == {
        "name": "demo",
        "units": [{"name": "su1", "hosts": "gpu[1-4]"}, {"name": "su2", "hosts": "x"}],
        12: {"a": None},
        "text": "folded",
    }
    assert document.position(("name",)) == Position("f.yaml", 2, 1)
    assert document.value_position(("name",)) == Position("f.yaml", 2, 7)
    assert document.position(("units", 0)) == Position("f.yaml", 4, 5)
    assert document.position(("units", 1, "hosts")) == Position("f.yaml", 6, 17)
    assert document.value_position(("units", 1, "hosts")) == Position("f.yaml", 6, 24)
    assert document.position((12, "a")) == Position("f.yaml", 7, 6)


def test_unknown_place_has_the_position_of_its_nearest_ancestor() -> None:
    document = parse_yaml(SAMPLE, "f.yaml")
    assert document.position(("units", 1, "rails", 3)) == document.position(("units", 1))
    assert document.position(("units", 9)) == document.position(("units",))
    assert document.position(("name", "x")) == document.position(("name",))
    assert document.position(("x",)) == document.position(()) == Position("f.yaml", 2, 1)


@each(
    ("written", "value"),
    [
        ("true", True), ("false", False), ("null", None), ("~", None), ("", None),
        ("0", 0), ("-7", -7), ("+7", 7), ("1.5", 1.5), ("-.5", -0.5), ("1.0e+3", 1000.0),
        ("'no'", "no"), ('"0123"', "0123"), ("north", "north"), ("0:0", "0:0"), ("1.2.3", "1.2.3"),
        ("02:00:00:00:00:01", "02:00:00:00:00:01"), ("10.0.0.0/8", "10.0.0.0/8"), ("-x", "-x"),
        ("65000:100", "65000:100"), ("=", "="), ("gpu_1", "gpu_1"), ("|\n  a\n  b\n", "a\nb\n"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("parser")
def test_words_that_all_readers_agree_on(written: str, value: object) -> None:
    got = parse_yaml(f"a: {written}\n".encode(), "f.yaml").data["a"]
    assert (got, type(got)) == (value, type(value))


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("escape", ["ud800", "UFFFFFFFF", "x", "q"])
def test_wrong_escapes(escape: str) -> None:
    assert rules(f'a: "\\{escape}"\n'.encode()) == ["INT001"]


def test_byte_order_mark_and_windows_line_ends_are_read() -> None:
    document = parse_yaml(b"\xef\xbb\xbfa: 1\r\nb: 2\r\n", "f.yaml")
    assert document.data == {"a": 1, "b": 2}
    assert document.position(("b",)) == Position("f.yaml", 2, 1)


@pytest.mark.usefixtures("parser")
def test_all_errors_of_a_file_are_collected() -> None:
    raw = b"a: yes\na: 1\nb: !x 1\nc: &d 0123\ne: *d\n~: 1\nf: [\n"
    with pytest.raises(InputError, match=r"^8 errors in f\.yaml$") as caught:
        parse_yaml(raw, "f.yaml")
    assert [f"{one.position} {one.rule}" for one in caught.value.findings] == [
        "f.yaml:1:4 INT007",
        "f.yaml:2:1 INT003",
        "f.yaml:3:4 INT004",
        "f.yaml:4:4 INT005",
        "f.yaml:4:4 INT007",
        "f.yaml:5:4 INT005",
        "f.yaml:6:1 INT010",
        "f.yaml:7:5 INT001",
    ]


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"a: 1\nb:2\nc: 3\n", "f.yaml:2:1: there is no space after the colon"),
        (b"a: 1\nb 2\nc: 3\n", "f.yaml:2:1: the line has no colon"),
        (
            b"a: 1\n<<<<<<< HEAD\nb: 2\n=======\nb: 3\n>>>>>>> other\n",
            "f.yaml:2:1: a merge conflict of git is not resolved; keep the lines of one side",
        ),
    ],
)
def test_a_colon_without_a_space(raw: bytes, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_yaml(raw, "f.yaml")
    assert str(caught.value.findings[0]).startswith(message)


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("raw", [b"a:\n\tb: 1\n", b"a: 1\n\tb: 2\n", b"a:\n  b: 1\n  \tc: 2\n"])
def test_tab_in_the_indentation(raw: bytes) -> None:
    assert rules(raw) == ["INT006"]


@pytest.mark.usefixtures("parser")
@pytest.mark.fault(21)
def test_depth_limit() -> None:
    assert parse_yaml(b"a: " + b"[" * 31 + b"]" * 31, "f.yaml").data
    assert rules(b"a: " + b"[" * 32 + b"]" * 32) == ["INT010"]
    assert rules(b"[" * 100_000) == ["INT010"]
    assert rules(b"".join(b" " * n + b"a:\n" for n in range(40))) == ["INT010"]


@pytest.mark.fault(21)
def test_size_limit(tmp_path: Path) -> None:
    path = tmp_path / "big.yaml"
    path.write_bytes(b"a: 1\n" + b"#" * (yamlfile.MAX_BYTES - 5))
    assert load_yaml(path, "big.yaml").data == {"a": 1}
    path.write_bytes(b"a: 1\n" + b"#" * (yamlfile.MAX_BYTES - 4))
    assert load_rules(path) == ["INT008"]


def test_not_utf8_is_refused_with_its_place() -> None:
    with pytest.raises(InputError) as caught:
        parse_yaml("a: 1\nbé: ".encode() + b"\xff\n", "f.yaml")
    assert [str(one) for one in caught.value.findings] == [
        "f.yaml:2:5: not UTF-8 text; save the file as UTF-8 [INT001]"
    ]
    assert rules("a: 1\n".encode("utf-16")) == ["INT001"]


def test_missing_file_and_folder(tmp_path: Path) -> None:
    assert load_rules(tmp_path / "none.yaml") == ["INT001"]
    assert load_rules(tmp_path / "\0.yaml") == ["INT001"]
    (tmp_path / "dir.yaml").mkdir()
    assert load_rules(tmp_path / "dir.yaml") == ["INT011"]


@pytest.mark.fault(21)
def test_links_stay_in_the_folder(tmp_path: Path) -> None:
    root = tmp_path / "inventory"
    (root / "hosts").mkdir(parents=True)
    for folder in (tmp_path, root):
        (folder / "real.yaml").write_bytes(b"a: 1\n")
    (root / "in.yaml").symlink_to("real.yaml")
    (root / "out.yaml").symlink_to("../real.yaml")
    (root / "loop.yaml").symlink_to("loop.yaml")
    (root / "hosts" / "up.yaml").symlink_to("../real.yaml")
    assert load_yaml(root / "in.yaml", "in.yaml").data == {"a": 1}
    assert load_yaml(root / "hosts" / "up.yaml", "up.yaml", root=root).data == {"a": 1}
    assert load_rules(root / "hosts" / "up.yaml") == ["INT011"]
    assert load_rules(root / "out.yaml") == ["INT011"]
    assert load_rules(root / "loop.yaml") in (["INT001"], ["INT011"])


@pytest.mark.fault(21)
def test_special_files_are_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    assert load_rules(tmp_path / "pipe.yaml") == ["INT011"]
    (tmp_path / "null.yaml").symlink_to("/dev/null")
    assert load_rules(tmp_path / "null.yaml") == ["INT011"]


def test_file_name_cannot_add_a_line_to_a_message(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        load_yaml(tmp_path / "none.yaml", "a\n::error::b.yaml")
    assert str(caught.value.findings[0]).isprintable()
    assert str(caught.value) == "1 error in a\\n::error::b.yaml"


@given(mappings)
def test_what_is_dumped_is_loaded_again(data: dict[str | int, Any]) -> None:
    raw = yaml.dump(data, Dumper=PlainDumper, sort_keys=False).encode()
    document = parse_yaml(raw, "f.yaml")
    assert document.data == data
    lines = raw.decode().splitlines()
    for path in paths_of(document.data):
        for position in (document.position(path), document.value_position(path)):
            assert 1 <= position.line <= len(lines)
            assert 1 <= position.column <= len(lines[position.line - 1]) + 1


@given(st.binary(max_size=200) | yamlish.map(str.encode))
def test_garbage_never_gives_anything_but_an_input_error(raw: bytes) -> None:
    try:
        document = parse_yaml(raw, "f.yaml")
    except InputError as error:
        assert error.findings
        for finding in error.findings:
            assert finding.position
            assert_inside(finding.position, raw)
            assert str(finding).isprintable()
            assert finding.fix
    else:
        assert isinstance(document.data, dict)
        assert document.data == yaml.load(raw, Loader=yaml_tree.Loader)


def assert_inside(position: Position, raw: bytes) -> None:
    content = raw.decode("utf-8-sig", errors="replace")
    lines = content.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert 1 <= position.line <= len(lines)
    assert 1 <= position.column <= len(lines[position.line - 1]) + 1


def paths_of(data: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    items: list[tuple[str | int, Any]] = []
    if isinstance(data, dict):
        items = list(data.items())
    elif isinstance(data, list):
        items = list(enumerate(data))
    return [path] + [one for key, value in items for one in paths_of(value, (*path, key))]


def rules(raw: bytes) -> list[str]:
    with pytest.raises(InputError) as caught:
        parse_yaml(raw, "f.yaml")
    return [finding.rule for finding in caught.value.findings]


def load_rules(path: Path) -> list[str]:
    with pytest.raises(InputError) as caught:
        load_yaml(path, path.name)
    return [finding.rule for finding in caught.value.findings]
