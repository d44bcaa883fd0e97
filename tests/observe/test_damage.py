"""Damaged output is unreadable, or says nothing that the whole did not say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fabric.observe.hostfacts import gids
from fabric.observe.hostfacts.mlnx_qos import mlnx_qos
from fabric.observe.parsers import UnreadableError
from fabric.systems.eos import parsers as eos
from fabric.systems.host import parsers as host
from fabric.systems.sonic import parsers as sonic
from tests.cases import each
from tests.observe.test_parsers import sample
from tests.systems.outputs import Outputs

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
TEXTS = [name for name in CASES if name.endswith(".txt")]


OUTPUTS = Outputs(
    nos="",
    cases={name: (parse, None) for name, parse in CASES.items()},
    only_damaged=True,
    marks=["\x1b[7m", "\x1b[K", "--More--", "\x08\x08", "\r"],
    marked=TEXTS,
    rubbish=CASES,
    pieces=["{", "}", "null", "[]"],
    # Rows can be missing without a trace; the driver waits for a mark behind the output.
    uncounted={"show_pfc_priority.txt"},
    part_of=lambda _, result, whole: result.items() <= whole.items(),
)


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.fault(17)
def test_a_missing_line_is_noticed(name: str) -> None:
    """A line of the table, somewhere in the middle."""
    lines = sample(name).splitlines(keepends=True)
    whole = OUTPUTS.read(name, "".join(lines))
    for number in range(len(lines)):
        result = OUTPUTS.read(name, "".join(lines[:number] + lines[number + 1 :]))
        if result is None or result == whole:
            continue
        if name in OUTPUTS.uncounted:
            assert result.items() <= whole.items()
        else:
            # optional lines of mlnx_qos: what they say is unknown then, not another value
            assert name == "mlnx_qos.txt"
            assert result.trust in {"unknown", whole.trust}
            assert result.cable_m in {None, whole.cable_m}
            assert result.dscp_to_priority.items() <= whole.dscp_to_priority.items()
            assert result.pfc == whole.pfc


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
@pytest.mark.fault(17)
def test_other_answers_are_unreadable(name: str, text: str) -> None:
    """JSON of another shape, error messages."""
    assert OUTPUTS.read(name, text) is None


@each("name", CASES)
@each("deep", ["[", '{"lldpNeighbors": ', '{"vrfs": '])
def test_deep_nesting_is_unreadable(name: str, deep: str) -> None:
    with pytest.raises(UnreadableError):
        CASES[name](deep * 100_000)
