"""Settings of rendered files: what differs by path and value, the same in both directions."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.core.artefact import Artefact
from fabric.report.diff.settings import clearing_files, settings

#: Both sides of a file, and path, before and after of what differs.
LINES = {
    "a word": (
        "interface Ethernet1/1\n   mtu 9100\n",
        "interface Ethernet1/1\n   mtu 9216\n",
        {("interface Ethernet1/1: mtu", "9100", "9216")},
    ),
    "a word in the middle": (
        "ecn low 100 high 300\n",
        "ecn low 200 high 300\n",
        {("ecn low ... high 300", "100", "200")},
    ),
    "a section of another name with the same lines": (
        "router bgp 65101\n   router-id 10.0.0.1\n   maximum-paths 8\n",
        "router bgp 65102\n   router-id 10.0.0.1\n   maximum-paths 4\n",
        {("router bgp", "65101", "65102"), ("router bgp: maximum-paths", "8", "4")},
    ),
    "a section with other lines": (
        "vlan 101\n   name rail0\n   state active\n",
        "vlan 201\n   name storage\n   trunk all\n",
        {
            ("vlan 101", "present", None),
            ("vlan 101: name rail0", "present", None),
            ("vlan 101: state active", "present", None),
            ("vlan 201", None, "present"),
            ("vlan 201: name storage", None, "present"),
            ("vlan 201: trunk all", None, "present"),
        },
    ),
    "two words": (
        "ntp server 192.0.2.1 iburst\n",
        "ntp server 192.0.2.2 prefer\n",
        {
            ("ntp server 192.0.2.1 iburst", "present", None),
            ("ntp server 192.0.2.2 prefer", None, "present"),
        },
    ),
    "two numbers": (
        "ecn minimum 100 kbytes maximum 300 kbytes\n   a 1\n",
        "ecn minimum 200 kbytes maximum 600 kbytes\n   a 1\n",
        {("ecn minimum ... kbytes maximum ... kbytes", "100, 300", "200, 600")},
    ),
    "a number before other numbers": (
        "ecn 1 2\necn 3 4\n",
        "ecn 5 4\necn 7 8\n",
        {("ecn ... 4", "3", "5"), ("ecn ...", "1, 2", "7, 8")},
    ),
    "addresses are no numbers": (
        "peer 192.0.2.1 as 1\n",
        "peer 192.0.2.2 as 2\n",
        {("peer 192.0.2.1 as 1", "present", None), ("peer 192.0.2.2 as 2", None, "present")},
    ),
    "the order": ("a 1\nb 2\n", "b 2\na 1\n", {("(order, comments)", "a 1", "b 2")}),
    "a comment": ("! old\nmtu 1\n", "! new\nmtu 1\n", {("(order, comments)", "! old", "! new")}),
    "a secret": (
        "neighbor 10.0.0.1 password hunter22\n",
        "neighbor 10.0.0.1 password correct-horse\n",
        {("neighbor 10.0.0.1 password", "***", "***")},
    ),
}
ROWS = {
    "a field": (
        {"PORT": {"Ethernet0": {"mtu": "9100", "fec": "rs"}}},
        {"PORT": {"Ethernet0": {"mtu": "9216", "fec": "rs"}}},
        {("PORT|Ethernet0|mtu", "9100", "9216")},
    ),
    "a row": (
        {"VLAN": {"Vlan1": {"vlanid": "1"}}},
        {"VLAN": {"Vlan1": {"vlanid": "1"}, "Vlan2": {"vlanid": "2"}}},
        {("VLAN|Vlan2|vlanid", None, "2")},
    ),
    "a row without fields": ({"A": {}}, {"A": {"r": {}}}, {("A|r", None, "{}")}),
    "a table": ({}, {"A": {"r": {"f": ["1", "2"]}}}, {("A|r|f", None, '["1", "2"]')}),
    "a secret": (
        {"BGP": {"x": {"auth_password": "hunter22"}}},
        {"BGP": {"x": {"auth_password": "correct-horse"}}},
        {("BGP|x|auth_password", "***", "***")},
    ),
    "a community": (
        {"SNMP_COMMUNITY": {"hunter22": {"TYPE": "RO"}}},
        {"SNMP_COMMUNITY": {"hunter22": {"TYPE": "RW"}}},
        {("SNMP_COMMUNITY ***", "RO", "RW")},
    ),
    "a null": ({"A": {"r": {"f": None}}}, {"A": {"r": {"g": "1"}}}, {("A|r|g", None, "1")}),
}


def _file(text: str, path: str = "switches/s/running-config") -> Artefact:
    return Artefact("s", "eos", "running-config", path, text.encode())


def _apart(
    old: str, new: str, path: str = "switches/s/running-config"
) -> set[tuple[str | None, ...]]:
    found = settings([_file(old, path)], [_file(new, path)])
    return {(one.path, one.before, one.after) for one in found}


def _mirror(found: set[tuple[str | None, ...]]) -> set[tuple[str | None, ...]]:
    return {(path, after, before) for path, before, after in found}


@pytest.mark.parametrize(("old", "new", "expected"), LINES.values(), ids=LINES)
def test_lines(old: str, new: str, expected: set[tuple[str | None, ...]]) -> None:
    assert _apart(old, new) == expected
    assert _apart(new, old) == _mirror(expected)


@pytest.mark.parametrize(("old", "new", "expected"), ROWS.values(), ids=ROWS)
def test_rows(old: object, new: object, expected: set[tuple[str | None, ...]]) -> None:
    path = "switches/s/config_db.json"
    assert _apart(json.dumps(old), json.dumps(new), path) == expected
    assert _apart(json.dumps(new), json.dumps(old), path) == _mirror(expected)


def test_a_file_that_appears_or_can_be_run() -> None:
    plain = _file("a\nb\n")
    [one] = settings([], [plain])
    assert (one.path, one.before, one.after) == ("(whole file)", None, "file of 2 lines")
    program = Artefact("s", "eos", "running-config", plain.path, plain.content, executable=True)
    [one] = settings([plain], [program])
    assert (one.path, one.before, one.after) == ("(mode)", "plain", "executable")


_SET, _CLEAR = "switches/s/config.nv", "switches/s/clear.nv"


def _nvue(**texts: str) -> list[Artefact]:
    """Return files of a Cumulus switch: ``config`` and ``clear``."""
    return [
        Artefact("s", "cumulus", "x", f"switches/s/{name}.nv", text.encode())
        for name, text in texts.items()
    ]


#: Files before and after; the files of the settings, and those that are left out of them.
CLEARING = {
    "both": (
        *(_nvue(config="set vlan101\n", clear="unset vlan101\n"),),
        *(_nvue(config="set vlan201\n", clear="unset vlan201\n"),),
        *([_SET], [_CLEAR]),
    ),
    "what is cleared alone": (
        *(_nvue(config="set a\n", clear="unset a\n"),),
        *(_nvue(config="set a\n", clear="unset b\n"),),
        *([_CLEAR], [_CLEAR]),
    ),
    "a file that goes": (
        *(_nvue(config="set a 1\n", clear="unset a\n"), _nvue(config="set a 2\n")),
        *([_CLEAR, _SET], []),
    ),
    "neither": (
        *(_nvue(config="set a\n", clear="unset a\n"),),
        *(_nvue(config="set a\n", clear="unset a\n"),),
        *([], []),
    ),
}


@pytest.mark.parametrize(("old", "new", "files", "clearing"), CLEARING.values(), ids=CLEARING)
def test_lines_that_only_clear_what_others_set(
    old: list[Artefact], new: list[Artefact], files: list[str], clearing: list[str]
) -> None:
    assert [one.file for one in settings(old, new)] == files
    assert clearing_files(old, new) == clearing


_WORD = st.sampled_from(["a", "b", "c", "1", "2"])
_LINE = st.builds(
    lambda depth, words: " " * depth + " ".join(words),
    st.integers(0, 2),
    st.lists(_WORD, min_size=1, max_size=3),
)
_TEXT = st.lists(_LINE, max_size=12).map("\n".join)


@given(_TEXT, _TEXT)
def test_no_difference_is_dropped_and_both_ways_agree(old: str, new: str) -> None:
    found = _apart(old, new)
    assert bool(found) == (old != new)
    assert _apart(new, old) == _mirror(found)
