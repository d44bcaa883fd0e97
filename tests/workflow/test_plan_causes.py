"""Why devices of a plan change: values that were edited since the last run, else what lines say."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from fabric.change.journal import Journal, State
from fabric.change.model import Change, DevicePlan, Plan, Risk
from fabric.report.planned_causes import PlannedCauses
from fabric.workflow.plan import origin_of
from fabric.workflow.plan_causes import causes_of, describe_causes
from fabric.workflow.plan_text import describe
from fabric.workflow.project import Project
from fabric.workflow.state import of_inventory
from tests.repository import demo_repository, git
from tests.topology.fabrics import INVENTORY

_KMIN = Change("WRED_PROFILE|AZURE_LOSSLESS|green_min_threshold", "150000", "172000", Risk.HARMLESS)
_HOLD = Change("BGP_NEIGHBOR|10.254.0.0|holdtime", "9", "30", Risk.BRIEF_LOSS)
_DETECT = "random-detect ecn minimum-threshold 172000 bytes"
_EOS = Change(f"qos profile ROCE: {_DETECT}", "", _DETECT, Risk.HARMLESS)


def _device(name: str, *changes: Change, platform: str = "sonic", role: str = "leaf") -> DevicePlan:
    return DevicePlan(name, platform, role, name, "", "", "", "live", changes, "", ())


DEVICES = [
    _device("su1-rail0", _KMIN, _HOLD),
    _device("su1-rail1", _KMIN),
    _device("spine01", _EOS, platform="eos", role="spine"),
]


def _plan(folder: Path | None = None) -> Plan:
    names = tuple(device.device for device in DEVICES)
    devices = {device.device: device for device in DEVICES}
    return Plan("demo", (names,), devices, (), origin=origin_of(folder) if folder else None)


@pytest.fixture
def inventory(tmp_path: Path) -> Path:
    """Return the demo inventory in a repository."""
    return demo_repository(tmp_path, "demo")


def _raise_kmin(inventory: Path) -> None:
    file = inventory / "fabric.yaml"
    text = file.read_text()
    assert "kmin_bytes: 150000" in text
    file.write_text(text.replace("kmin_bytes: 150000", "kmin_bytes: 172000"))


def _applied(inventory: Path) -> None:
    """Write down a run that is done."""
    journal = Journal(of_inventory(inventory, "demo"))
    with journal.exclusive():
        run = journal.begin("apply", "demo", _plan(inventory).to_json())
        journal.record(run, "", State.DONE)


def _lines(inventory: Path) -> list[str]:
    causes = causes_of(Project(inventory), _plan(inventory))
    return [*describe_causes(DEVICES, causes, full=False)]


def _by_the_edit(inventory: Path) -> list[str]:
    return [
        f"  {inventory}/fabric.yaml:38 fabric.lossless.ecn.kmin_bytes: 150000 -> 172000",
        "    3 changes of 3 devices (spine01,su1-rail[0-1])",
        f"      su1-rail0  {_KMIN.path}: 150000 -> 172000",
        "  bgp.hold_s: 1 change of 1 device (su1-rail0)",
        f"      su1-rail0  {_HOLD.path}: 9 -> 30",
    ]


def test_without_git_the_cause_is_what_lines_follow_from() -> None:
    assert [*describe_causes(DEVICES, PlannedCauses(), full=False)] == [
        "causes, by what the lines follow from in the inventory:",
        "  lossless.ecn: 3 changes of 3 devices (spine01,su1-rail[0-1])",
        f"      su1-rail0  {_KMIN.path}: 150000 -> 172000",
        "  bgp.hold_s: 1 change of 1 device (su1-rail0)",
        f"      su1-rail0  {_HOLD.path}: 9 -> 30",
    ]
    assert "  lossless.ecn: 3 changes of 3 devices" in describe(_plan())


def test_the_topic_is_what_decides_the_line_at_its_port() -> None:
    """A spine has no host ports, and routed NIC ports have no first VLAN."""
    speed, switched = (
        lambda port: Change(f"interface {port}: speed", "", "speed 400g-4", Risk.PORT_FLAP),
        lambda port: Change(
            f"interface {port}: no switchport", "", "no switchport", Risk.PORT_FLAP
        ),
    )
    vlan = Change("vlan 100", "vlan 100", "", Risk.BRIEF_LOSS)
    devices = [
        _device("su1-rail0", speed("Ethernet1/1"), switched("Ethernet1/1"), vlan, platform="eos"),
        _device("spine01", speed("Ethernet1/1"), switched("Ethernet1/1"), platform="eos"),
    ]
    causes = PlannedCauses(designs=Project(INVENTORY / "dual-stack")).of(devices)
    topics = {(cause.topic, *cause.devices): cause.changes for cause in causes}
    assert topics == {
        ("speeds.host_gbps", "su1-rail0"): 1,
        ("addressing.vlan_per", "su1-rail0"): 2,
        ("speeds.uplink_gbps", "spine01"): 1,
        ("lines that are the same in every inventory", "spine01"): 1,
    }


def test_an_edit_that_is_not_committed_is_the_cause(inventory: Path) -> None:
    _raise_kmin(inventory)
    title, *lines = _lines(inventory)
    assert title.startswith("causes, by what changed since revision ")
    assert lines == _by_the_edit(inventory)


_DSCP = ("roce_dscp: 26", "roce_dscp: 30")
_MINIMUM = ("kmin_bytes: 150000", "kmin_bytes: 172000")
#: Edits, and whether the first of them is what hosts change for.
_OF_HOSTS = {
    "a DSCP": ([_DSCP], True),
    "a DSCP, and a threshold that no host has": ([_DSCP, _MINIMUM], True),
    "a threshold alone: hosts differ for another reason": ([_MINIMUM], False),
}


@pytest.mark.parametrize("name", _OF_HOSTS)
def test_hosts_change_for_the_edits_that_their_files_follow_from(
    inventory: Path, name: str
) -> None:
    edits, is_cause = _OF_HOSTS[name]
    file = inventory / "fabric.yaml"
    for old, new in edits:
        file.write_text(file.read_text().replace(old, new))
    host = _device(
        "gpu001",
        Change("/etc/rocefab/apply.sh", "old content", "new content", Risk.HARMLESS),
        Change("eth1 traffic_class_dscp", "26", "30", Risk.HARMLESS),
        platform="host",
        role="host",
    )
    (cause,) = causes_of(Project(inventory), _plan(inventory)).of([host])
    fields = [edit.field for edit in cause.edits]
    assert fields == (["fabric.lossless.roce_dscp"] if is_cause else [])
    assert (cause.topic, cause.changes) == ("" if is_cause else "files and NICs of hosts", 2)


def test_an_edit_since_the_last_run_is_the_cause(inventory: Path) -> None:
    _applied(inventory)
    _raise_kmin(inventory)
    git(inventory, "commit", "--quiet", "--all", "--message=more")
    title, *lines = _lines(inventory)
    assert title.startswith("causes, by what changed since run 1 (")
    assert lines == _by_the_edit(inventory)


def test_devices_that_differ_for_another_reason_than_the_edit(inventory: Path) -> None:
    file = inventory / "fabric.yaml"
    file.write_text(file.read_text().replace("timeout_s: 240", "timeout_s: 230"))
    lines = _lines(inventory)
    assert "timeout_s" not in "\n".join(lines)
    assert lines[1] == "  lossless.ecn: 3 changes of 3 devices (spine01,su1-rail[0-1])"


def test_an_inventory_outside_git_has_no_edits(tmp_path: Path) -> None:
    shutil.copytree(INVENTORY / "demo", tmp_path / "demo")
    _applied(tmp_path / "demo")
    _raise_kmin(tmp_path / "demo")
    assert _lines(tmp_path / "demo")[0] == "causes, by what the lines follow from in the inventory:"


_TABLES = (
    "PFC_WD|Ethernet0|action",
    "PORT|Ethernet0|mtu",
    "PORT|Ethernet0|admin_status",
    "NTP_SERVER|192.0.2.10|",
    "SYSLOG_SERVER|192.0.2.20|",
    "QUEUE|Ethernet0|0|scheduler",
    "CABLE_LENGTH|AZURE|Ethernet0",
    "DSCP_TO_TC_MAP|AZURE|0",
    "CRM|Config|acl_counter_high_threshold",
    "SWITCH_HASH|GLOBAL|ecmp_hash",
    "OWN|x|y",
)


def test_many_causes_are_cut_and_full_shows_all() -> None:
    changes = [Change(path, "", "x", Risk.HARMLESS) for path in _TABLES]
    trust = Change("eth1 trust", "", "x", Risk.HARMLESS)
    hosts = [_device(f"gpu{n}", trust, platform="host", role="host") for n in (1, 2)]
    every = [*DEVICES, _device("su2-rail0", *changes), *hosts]
    short, full = (
        [*describe_causes(every, PlannedCauses(), full=value)] for value in (False, True)
    )
    for line in (
        "  files and NICs of hosts: 2 changes of 2 devices (gpu[1-2])",
        "  other lines: 1 change of 1 device (su2-rail0)",
        "  lines that are the same in every inventory: 1 change of 1 device (su2-rail0)",
        "      su2-rail0  + NTP_SERVER|192.0.2.10 = x",
    ):
        assert line in full
    causes = len(full) // 2
    assert causes == 3 + len(_TABLES)
    assert short[:-1] == full[:21]
    assert short[-1] == f"  {causes - 10} more with {causes - 10} changes; `--full` prints all"
