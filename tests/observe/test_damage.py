"""Damaged output is unreadable, or says nothing that the whole did not say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.observe.hostfacts import gids
from fabric.observe.hostfacts.mlnx_qos import mlnx_qos
from fabric.observe.parsers import UnreadableError
from fabric.systems.eos import parsers as eos
from fabric.systems.host import parsers as host
from fabric.systems.sonic import parsers as sonic
from tests.observe.test_parsers import sample

CASES: dict[str, Callable[[str], Any]] = {
    "show_ip_bgp_summary.txt": sonic.bgp_summary,
    "show_lldp_table.txt": sonic.lldp_table,
    "show_pfc_priority.txt": sonic.pfc_priority,
    "eos_bgp_summary.json": eos.bgp_summary,
    "eos_lldp_neighbors.json": eos.lldp_neighbours,
    "mlnx_qos.txt": mlnx_qos,
    "show_gids.txt": gids.show_gids,
    "lldpcli_neighbors.json": host.lldp_neighbours,
    "ip_addr.json": host.ip_addresses,
    "ip_rule.json": host.ip_rules,
}
#: Rows of these can be missing without a trace: nothing in the output counts them. The driver waits
#: for a mark behind the output, so a cut one does not get here.
UNCOUNTED = {"show_pfc_priority.txt"}
MARKS = ["\x1b[7m", "\x1b[K", "--More--", "\x08\x08", "\r"]
TEXTS = [name for name in CASES if name.endswith(".txt")]


def _read(name: str, text: str) -> Any:
    """Return the value, or None when it is unreadable; any other exception fails the test."""
    try:
        return CASES[name](text)
    except UnreadableError:
        return None


@pytest.mark.parametrize("name", CASES)
def test_every_cut_is_noticed(name: str) -> None:
    """At each byte: unreadable, the whole truth, or where nothing counts the rows, a part of it."""
    text = sample(name)
    whole = _read(name, text)
    assert whole
    for length in range(len(text)):
        result = _read(name, text[:length])
        if name in UNCOUNTED and result is not None:
            assert result.items() <= whole.items()
        else:
            assert result in (None, whole), text[:length][-40:]


@pytest.mark.parametrize("name", TEXTS)
def test_a_missing_line_is_noticed(name: str) -> None:
    """A line of the table, somewhere in the middle."""
    lines = sample(name).splitlines(keepends=True)
    whole = _read(name, "".join(lines))
    for number in range(len(lines)):
        result = _read(name, "".join(lines[:number] + lines[number + 1 :]))
        if result is None or result == whole:
            continue
        if name in UNCOUNTED:
            assert result.items() <= whole.items()
        else:
            # optional lines of mlnx_qos: what they say is unknown then, not another value
            assert name == "mlnx_qos.txt"
            assert result.trust in {"unknown", whole.trust}
            assert result.cable_m in {None, whole.cable_m}
            assert result.dscp_to_priority.items() <= whole.dscp_to_priority.items()
            assert result.pfc == whole.pfc


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("mark", MARKS)
@given(data=st.data())
def test_marks_of_a_pager_or_terminal_are_noticed(
    name: str, mark: str, data: st.DataObject
) -> None:
    """Wherever they stand."""
    text = sample(name)
    place = data.draw(st.integers(0, len(text) - 2))
    if mark == "\r" and text[place] == "\n":
        return  # the end of a line as terminals write it
    assert _read(name, text[:place] + mark + text[place:]) is None


@pytest.mark.parametrize("name", TEXTS)
def test_line_ends_of_a_terminal_are_fine(name: str) -> None:
    """CR LF is LF."""
    text = sample(name)
    assert _read(name, text.replace("\n", "\r\n")) == _read(name, text)


@pytest.mark.parametrize("name", CASES)
@given(data=st.data())
def test_no_other_exception(name: str, data: st.DataObject) -> None:
    """Whatever is put in, taken out or replaced: a value of the same kind, or unreadable."""
    text = sample(name)
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, min(len(text), start + 30)))
    middle = data.draw(
        st.sampled_from(["", "0", "9", " ", "\n", "x", "{", "}", "null", "[]", "é", '"'])
    )
    result = _read(name, text[:start] + middle + text[stop:])
    assert result is None or isinstance(result, type(_read(name, text)))


@pytest.mark.parametrize("name", CASES)
@given(text=st.text(max_size=60) | st.recursive(st.none() | st.text(max_size=5), st.lists).map(str))
def test_rubbish(name: str, text: str) -> None:
    """Is unreadable."""
    assert not _read(name, text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("eos_bgp_summary.json", '{"vrfs": []}'),
        ("eos_bgp_summary.json", '{"vrfs": {"default": {}}}'),
        ("eos_bgp_summary.json", '{"vrfs": {"default": {"peers": {"10.0.0.1": {}}}}}'),
        ("eos_bgp_summary.json", '{"errors": ["Invalid input"]}'),
        ("eos_lldp_neighbors.json", '{"lldpNeighbors": {}}'),
        ("eos_lldp_neighbors.json", '{"lldpNeighbors": [{"port": "Ethernet1"}]}'),
        ("lldpcli_neighbors.json", '{"lldp": {"interface": [{"eth1": {}}]}}'),
        ("ip_addr.json", '[{"ifname": "eth1"}]'),
        ("ip_addr.json", "{}1"),
        ("ip_rule.json", '[{"src": "all"}]'),
        ("mlnx_qos.txt", "Interface name is required\n"),
    ],
)
def test_other_answers_are_unreadable(name: str, text: str) -> None:
    """JSON of another shape, error messages."""
    assert _read(name, text) is None
