"""A plan for people: the summary first, like devices once, long differences cut."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fabric.change.model import Change, DevicePlan, Plan, Risk
from fabric.change.origin import Origin
from fabric.workflow.plan_text import describe

_CHANGE = Change("PORT|Ethernet0|mtu", "9100", "9216", Risk.PORT_FLAP)


def _device(name: str, diff: str, **more: object) -> DevicePlan:
    device = DevicePlan(
        device=name,
        platform="sonic",
        role="leaf",
        hostname=name,
        serial="",
        mac="",
        fingerprint="",
        method="patch",
        changes=(_CHANGE, replace(_CHANGE, path="VLAN|Vlan101")),
        diff=diff,
        artefacts=(),
    )
    return replace(device, **more)


def _plan(*devices: DevicePlan) -> Plan:
    names = tuple(device.device for device in devices)
    return Plan("mine", (names,), {one.device: one for one in devices}, ("spine01",))


LEAVES = [
    _device(f"leaf{number}", f"- asn 6510{number}\n+ asn 6460{number}\n+ ip 10.0.{number}.1/31")
    for number in range(1, 4)
]


def test_the_summary_comes_first() -> None:
    lines = describe(_plan(*LEAVES)).splitlines()
    assert lines[0] == "3 devices to change in 1 wave (3 port flap), 1 as planned already"
    cause = "highest risk: port flap, such as leaf1: PORT|Ethernet0|mtu"
    assert lines[1] == cause
    assert lines[3] == "settings: PORT 3, VLAN 3"


def test_the_change_with_the_highest_risk_is_named() -> None:
    calm = replace(_CHANGE, risk=Risk.HARMLESS)
    plans = {
        "restart, such as leaf1: PORT|Ethernet0|lanes": {
            "changes": (_CHANGE, replace(_CHANGE, path="PORT|Ethernet0|lanes", risk=Risk.RESTART))
        },
        "restart, such as leaf1: reload of the configuration": {"method": "reload"},
        "": {"changes": (calm,)},
    }
    for words, more in plans.items():
        harmless = _device("leaf0", "", changes=(calm,))
        text = describe(_plan(harmless, _device("leaf1", "+ x", **more)))
        assert (f"\nhighest risk: {words}\n" in text) is bool(words), text


def test_files_of_hosts_have_a_name_among_the_parts() -> None:
    changes = tuple(replace(_CHANGE, path=path) for path in ("/etc/fstab", "eth1 mtu"))
    host = _device("gpu01", "+ x", role="host", platform="host", changes=changes)
    assert "\nsettings: files 1, eth1 1\n" in describe(_plan(host))


def test_devices_of_one_kind_are_one_line_of_a_wave() -> None:
    other = _device("leaf4", "+ x", method="reload", no_net="it has no timer", notes=("slow",))
    text = describe(_plan(*LEAVES, other))
    assert "\n  leaf[1-3] (sonic leaf): 2 settings by patch, risk: port flap\n" in text
    assert "  leaf4 (sonic leaf): 2 settings by reload, risk: restart\n    NO SAFETY NET: " in text
    fewer = replace(LEAVES[2], changes=(_CHANGE,))
    assert "leaf[1-3] (sonic leaf): 1 to 2 settings each by" in describe(_plan(*LEAVES[:2], fewer))


def test_lines_have_a_range_as_settings_do() -> None:
    """A line that goes and the one in its place are one setting."""
    pairs = [
        (Change(f"{word} 1", "x", "", Risk.HARMLESS), Change(f"{word} 2", "", "x", Risk.HARMLESS))
        for word in ("mtu", "speed")
    ]
    few, many = (
        _device("leaf1", "", changes=pairs[0]),
        _device("leaf2", "", changes=sum(pairs, ())),
    )
    text = describe(_plan(few, many))
    assert "leaf[1-2] (sonic leaf): 1 to 2 settings (2 to 4 lines) each by" in text


def test_differences_that_are_alike_but_for_numbers_are_shown_once() -> None:
    text = describe(_plan(*LEAVES, _device("leaf4", "+ something else")))
    assert "\nleaf[1-3]: 3 devices that differ in names and numbers; leaf1:\n" in text
    assert "65101" in text
    assert "65102" not in text
    assert "\nleaf4\n    + something else\n" in text


def test_full_shows_every_line_of_every_device() -> None:
    long = _device("leaf9", "\n".join(f"+ line {number}" for number in range(100)))
    cut, full = (describe(_plan(*LEAVES, long), full=value) for value in (False, True))
    assert "    + line 59\n    ... 40 more lines; `--full` prints all\n" in cut
    assert "+ line 60" not in cut
    for device in (*LEAVES, long):
        assert [line for line in device.diff.splitlines() if f"    {line}\n" not in full] == []
    assert "more lines" not in full


def test_nothing_to_change() -> None:
    assert describe(Plan("mine", (), {}, ("leaf1",))).startswith("No changes. 1 device matches")


_STOP, _ELSE = "stop the jobs before `rocefab apply", "or look for waves without loss:\n "
_OTHERS = "with the other options of this plan\n"
#: File and inventory of a plan, and what it says where packets are lost between its waves.
COMMANDS = {
    "a file": (
        *(Path("night 1.json"), "/net/demo", f"{_STOP} 'night 1.json' --commit`; {_ELSE}"),
        f" `rocefab plan /net/demo --rollout --out 'night 1.json'`, {_OTHERS}",
    ),
    "no file yet": (
        *(None, ""),
        f"{_STOP} plan.json --commit`, which this plan with `--out plan.json` writes; {_ELSE}",
        f" `rocefab plan --rollout --out plan.json`, {_OTHERS}",
    ),
}


@pytest.mark.parametrize(("file", "folder", "stop", "other"), COMMANDS.values(), ids=COMMANDS)
def test_a_plan_that_loses_packets_has_the_commands(
    file: Path | None, folder: str, stop: str, other: str
) -> None:
    origin = Origin(folder, "", "", "", 0.0) if folder else None
    plan = replace(_plan(*LEAVES), hazards=("after wave 1: 2 pairs",), origin=origin)
    assert f"\n  after wave 1: 2 pairs\n{stop}{other}" in describe(plan, file=file)
    assert _STOP not in describe(replace(plan, hazards=()), file=file)
