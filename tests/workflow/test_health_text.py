"""What verify and drift say: like findings once, with count and devices."""

from __future__ import annotations

from fabric.change.expectation import Deviation
from fabric.change.model import Change, Risk
from fabric.workflow.health_text import health_lines
from fabric.workflow.verify import Health


def _device(name: str, *, mtu: str = "1500") -> Health:
    drift = [Change(f"PORT|Ethernet{port}|mtu", mtu, "9100", Risk.BRIEF_LOSS) for port in (0, 8)]
    down = Deviation(name, "BGP", f"10.254.0.{name[-1]}", "the session is down")
    return Health(name, "sonic", tuple(drift), (down,), origins=(None, None))


DEVICES = [_device(f"leaf{number}") for number in (1, 2, 3)]


def test_like_findings_of_all_devices_are_one() -> None:
    assert [*health_lines(DEVICES, full=False)] == [
        "leaf1: PORT|Ethernet0|mtu: runs 1500, planned 9100",
        "    5 more that differ in names and numbers alone; all are on leaf[1-3]",
        "leaf1: BGP 10.254.0.1: the session is down",
        "    2 more that differ in names and numbers alone; all are on leaf[1-3]",
        "9 findings shown as 2; `--full` lists all",
    ]


def test_full_lists_each_finding() -> None:
    lines = [*health_lines(DEVICES, full=True)]
    assert len(lines) == 9
    assert lines[4] == "leaf2: PORT|Ethernet8|mtu: runs 1500, planned 9100"


def test_another_value_is_another_finding() -> None:
    lines = [*health_lines([DEVICES[0], _device("leaf2", mtu="9000")], full=False)]
    assert "leaf2: PORT|Ethernet0|mtu: runs 9000, planned 9100" in lines
    assert "leaf1: PORT|Ethernet0|mtu: runs 1500, planned 9100" in lines


def test_a_single_finding_has_no_count() -> None:
    down = Deviation("leaf1", "BGP", "10.254.0.1", "unread", unknown=True)
    assert [*health_lines([Health("leaf1", "sonic", (), (down,))], full=False)] == [
        "leaf1: BGP 10.254.0.1: unread (unknown)"
    ]


def test_a_line_is_said_once() -> None:
    """The path of a line ends with the line; what has a value keeps both values."""
    line, old = "mtu 9214", "mtu 9000"
    drift = (
        Change(f"interface Ethernet1/1: {line}", "", line, Risk.BRIEF_LOSS),
        Change(f"interface Ethernet1/1: {old}", old, "", Risk.BRIEF_LOSS),
        Change("PORT|Ethernet0|mtu", "", "9100", Risk.BRIEF_LOSS),
    )
    assert [*health_lines([Health("leaf1", "eos", drift, (), origins=(None,) * 3)], full=True)] == [
        f"leaf1: planned, does not run: interface Ethernet1/1: {line}",
        f"leaf1: runs, not planned: interface Ethernet1/1: {old}",
        "leaf1: PORT|Ethernet0|mtu: runs nothing, planned 9100",
    ]
