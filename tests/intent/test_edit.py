"""Edits of YAML keep every other character."""

from __future__ import annotations

from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from fabric.intent.yaml import edit
from tests.cases import each, examples

TEXT = """# head
tenancy: {form: evpn, unassigned: quarantine}  # why
tenants:
  # first
  - {name: red, id: 17, hosts: "gpu[001,003]"}  # customer
  - name: blue   # b
    id: 18
    nics:
      gpu004: [0]  # one
      gpu005: [1]
  # after
other: 1
"""

#: Path and new value (None removes), then the lines that go and those that come.
EDITS: dict[str, tuple[tuple[str | int, ...], Any, str, str]] = {
    "a quoted value": (
        ("tenants", 0, "hosts"),
        "gpu[1-3]",
        '  - {name: red, id: 17, hosts: "gpu[001,003]"}  # customer\n',
        '  - {name: red, id: 17, hosts: "gpu[1-3]"}  # customer\n',
    ),
    "a new key of a block": (("tenants", 1, "hosts"), "gpu002", "", "    hosts: gpu002\n"),
    "a new key of a flow mapping": (
        ("tenancy", "retired"),
        [18],
        "tenancy: {form: evpn, unassigned: quarantine}  # why\n",
        "tenancy: {form: evpn, unassigned: quarantine, retired: [18]}  # why\n",
    ),
    "a new key below": (("tenants", 1, "nics", "gpu009"), [1], "", "      gpu009: [1]\n"),
    "an item in flow style goes": (
        ("tenants", 0),
        None,
        '  - {name: red, id: 17, hosts: "gpu[001,003]"}  # customer\n',
        "",
    ),
    "an item in block style goes": (
        ("tenants", 1),
        None,
        TEXT[TEXT.index("  - name: blue") : TEXT.index("  # after")],
        "",
    ),
    "the last key of a flow mapping goes": (
        ("tenants", 0, "hosts"),
        None,
        '  - {name: red, id: 17, hosts: "gpu[001,003]"}  # customer\n',
        "  - {name: red, id: 17}  # customer\n",
    ),
    "the first key of a flow mapping goes": (
        ("tenants", 0, "name"),
        None,
        '  - {name: red, id: 17, hosts: "gpu[001,003]"}  # customer\n',
        '  - {id: 17, hosts: "gpu[001,003]"}  # customer\n',
    ),
    "a key of a block goes": (
        ("tenants", 1, "nics"),
        None,
        "    nics:\n      gpu004: [0]  # one\n      gpu005: [1]\n",
        "",
    ),
}


@each("name", EDITS)
def test_an_edit_changes_its_lines_alone(name: str) -> None:
    path, value, old, new = EDITS[name]
    after = edit.remove(TEXT, path) if value is None else edit.set_value(TEXT, path, value)
    if old:
        assert after == TEXT.replace(old, new), after
    else:
        assert after.replace(new, "", 1) == TEXT, after
    assert yaml.safe_load(after) == _expected(path, value)


def _expected(path: tuple[str | int, ...], value: Any) -> Any:
    data = place = yaml.safe_load(TEXT)
    for part in path[:-1]:
        place = place[part]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return data


VALUES = st.one_of(
    st.text("ab: ,[]{}#'\"-01", max_size=8), st.integers(0, 9), st.lists(st.integers(0, 9))
)


@examples(100)
@given(st.dictionaries(st.sampled_from(["a", "b", "c d"]), VALUES), st.booleans(), VALUES)
def test_any_value_is_read_back(data: dict[str, Any], in_flow: bool, value: Any) -> None:
    text = yaml.safe_dump({"top": data}, default_flow_style=None if in_flow else False)
    if data:
        after = edit.set_value(text, ("top", "new"), value)
        assert yaml.safe_load(after) == {"top": {**data, "new": value}}, (text, after)
    for key in data:
        after = edit.set_value(text, ("top", key), value)
        assert yaml.safe_load(after)["top"] == {**data, key: value}, (text, after)
        if len(data) > 1:
            rest = {name: item for name, item in data.items() if name != key}
            after = edit.remove(text, ("top", key))
            assert yaml.safe_load(after)["top"] == rest, (text, after)
