"""Why devices of a plan change: values that were edited since the last run, else what lines say."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from fabric.change.journal import Journal, State
from fabric.change.model import Change, DevicePlan, Plan, Risk
from fabric.core.artefact import Artefact
from fabric.render.explain import placed_lines
from fabric.report.moved_sections import settings_of
from fabric.report.planned_causes import CauseFinder
from fabric.workflow.plan import origin_of
from fabric.workflow.plan_causes import causes_of, describe_causes
from fabric.workflow.plan_text import describe
from fabric.workflow.project import Project
from fabric.workflow.state import of_inventory
from tests.cases import each
from tests.report.drafts import draft
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


def _plan(folder: Path, devices: Sequence[DevicePlan] = DEVICES) -> Plan:
    by_name = {device.device: device for device in devices}
    return Plan("demo", ((*by_name,),), by_name, (), origin=origin_of(folder))


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
    return [*describe_causes(causes_of(Project(inventory), _plan(inventory)), full=False)]


def _by_the_edit(inventory: Path) -> list[str]:
    return [
        f"  {inventory}/fabric.yaml:38 fabric.lossless.ecn.kmin_bytes: 150000 -> 172000",
        "    3 settings of 3 devices (spine01,su1-rail[0-1])",
        f"      su1-rail0  {_KMIN.path}: 150000 -> 172000",
        "  bgp.hold_s: 1 setting of 1 device (su1-rail0)",
        f"      su1-rail0  {_HOLD.path}: 9 -> 30",
    ]


def test_without_git_the_cause_is_what_lines_follow_from() -> None:
    project = Project(INVENTORY / "demo")
    why = CauseFinder(project).of(DEVICES)
    assert [*describe_causes(why, full=False)] == [
        "why devices change: values behind the changed lines:",
        "  lossless.ecn: 3 settings of 3 devices (spine01,su1-rail[0-1])",
        f"      su1-rail0  {_KMIN.path}: 150000 -> 172000",
        "  bgp.hold_s: 1 setting of 1 device (su1-rail0)",
        f"      su1-rail0  {_HOLD.path}: 9 -> 30",
    ]
    plan = replace(_plan(INVENTORY / "demo"), why=why)
    assert "  lossless.ecn: 3 settings of 3 devices" in describe(plan)


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
    causes = CauseFinder(Project(INVENTORY / "dual-stack")).of(devices).causes
    topics = {(cause.topic, *cause.devices): cause.changes for cause in causes}
    assert topics == {
        ("speeds.host_gbps", "su1-rail0"): 1,
        ("addressing.vlan_per", "su1-rail0"): 2,
        ("speeds.uplink_gbps", "spine01"): 1,
        ("lines that are the same in every inventory", "spine01"): 1,
    }


def _line(path: str, *, comes: bool = True, text: str = "") -> Change:
    text = text or path.rpartition(": ")[2]
    return Change(path, "" if comes else text, text if comes else "", Risk.HARMLESS)


def _row(path: str, before: str, after: str) -> Change:
    return Change(path, before, after, Risk.HARMLESS)


_FAR_END = "devices:\n  - {names: spine01, ports: {Ethernet1/1: {cable_m: 30}}}\n"
_OTHER_PORT = "devices:\n  - {names: su1-rail0, ports: {Ethernet8: {description: x}}}\n"
_OWN_ASN = "devices:\n  - {names: su1-rail0, asn: 65200}\n"
_OWN_ECN = "devices:\n  - {names: su1-rail0, lossless: {ecn: {kmin_bytes: 160000}}}\n"
_CABLE = _row("CABLE_LENGTH|AZURE|Ethernet128", "40m", "30m")
_DESCRIPTION = _row("PORT|Ethernet0|description", "x", "gpu001 eth1")
_PEER = _row("BGP_NEIGHBOR|10.254.0.0|asn", "65000", "65100")
_OWN = _row("DEVICE_METADATA|localhost|bgp_asn", "65000", "65101")
_LEAF_OF_SPINE = _line("router bgp 65100: neighbor 10.254.0.1 remote-as 65101")
#: Overrides of the demo, a change of a device, and what explain says sets the line.
_SET_BY = {
    "own AS number": ("", "su1-rail0", _OWN, "bgp.leaf_asn_first"),
    "AS number of a neighbour": ("", "su1-rail0", _PEER, "bgp.spine_asn"),
    "AS number of a leaf, on its spine": ("", "spine01", _LEAF_OF_SPINE, "bgp.leaf_asn_first"),
    "AS number of an override": (_OWN_ASN, "su1-rail0", _OWN, "devices.asn in own.yaml"),
    "another switch has an AS number of its own": (
        _OWN_ASN,
        "su1-rail1",
        _row("DEVICE_METADATA|localhost|bgp_asn", "65000", "65102"),
        "bgp.leaf_asn_first",
    ),
    "cable of the fabric": ("", "su1-rail0", _CABLE, "cables.uplink_m"),
    "cable that the other end sets": (
        _FAR_END,
        "su1-rail0",
        _CABLE,
        "devices.ports.cable_m in own.yaml",
    ),
    "another cable": (
        _FAR_END,
        "su1-rail0",
        _row("CABLE_LENGTH|AZURE|Ethernet136", "30m", "40m"),
        "cables.uplink_m",
    ),
    "description that nobody set": ("", "su1-rail0", _DESCRIPTION, "host.interfaces"),
    "description that is set on another port": (
        _OTHER_PORT,
        "su1-rail0",
        _DESCRIPTION,
        "host.interfaces",
    ),
    "description that is set": (
        _OTHER_PORT,
        "su1-rail0",
        _row("PORT|Ethernet8|description", "gpu002 eth1", "x"),
        "devices.ports.description in own.yaml",
    ),
    "threshold of an override": (_OWN_ECN, "su1-rail0", _KMIN, "lossless.ecn in own.yaml"),
    "threshold of the fabric": (_OWN_ECN, "su1-rail1", _KMIN, "lossless.ecn"),
}


@each("name", _SET_BY)
def test_the_topic_is_what_sets_the_line_as_explain_says(tmp_path: Path, name: str) -> None:
    """A field that nobody set is no cause, nor is one of another port or switch."""
    overrides, device, change, topic = _SET_BY[name]
    folder = shutil.copytree(INVENTORY / "demo", tmp_path / name)
    (folder / "devices" / "shorter-cables.yaml").unlink()
    if overrides:
        (folder / "devices" / "own.yaml").write_text(overrides)
    role, platform = ("spine", "eos") if device == "spine01" else ("leaf", "sonic")
    plan = _device(device, change, role=role, platform=platform)
    (cause,) = CauseFinder(Project(folder)).of([plan]).causes
    assert cause.topic.replace(f"{folder}/devices/", "") == topic


def test_lines_that_only_move_with_their_section_have_its_cause() -> None:
    """A new AS number writes all neighbours again; timers that differ do not only move."""
    old, new = "router bgp 65109", "router bgp 65101"
    peer = "neighbor 10.254.0.0 remote-as 65100"
    changes = [
        _line(old, comes=False),
        _line(new),
        *(_line(f"{head}: {peer}", comes=head == new) for head in (old, new)),
        _line(f"{old}: neighbor 10.254.0.0 timers 5 15", comes=False),
        _line(f"{new}: neighbor 10.254.0.0 timers 3 9"),
    ]
    plan = _device("eos-leaf", *changes, platform="eos")
    causes = CauseFinder(Project(INVENTORY / "mixed")).of([plan]).causes
    assert [(cause.topic, cause.changes) for cause in causes] == [
        ("bgp.leaf_asn_first", 1),
        ("bgp.keepalive_s", 1),
    ]


def test_an_edit_that_is_not_committed_is_the_cause(inventory: Path) -> None:
    _raise_kmin(inventory)
    title, *lines = _lines(inventory)
    assert title.startswith("why devices change: values edited since revision ")
    assert lines == _by_the_edit(inventory)


@pytest.mark.parametrize(
    ("value", "is_named"),
    [("172000", False), ("300000", True)],
    ids=["tuning", "half the protection"],
)
def test_an_edit_that_protects_less_is_named_first(
    inventory: Path, value: str, *, is_named: bool
) -> None:
    """As `diff` does: that the change itself is harmless says nothing of congestion later."""
    file = inventory / "fabric.yaml"
    file.write_text(file.read_text().replace("kmin_bytes: 150000", f"kmin_bytes: {value}"))
    plan = _plan(inventory)
    plan = replace(plan, why=causes_of(Project(inventory), plan))
    printed = describe(plan).splitlines()
    words = "less protection: ECN marks later: fabric.lossless.ecn.kmin_bytes: 150000 -> 300000"
    parts = next(at for at, line in enumerate(printed) if line.startswith("settings: "))
    assert (printed[parts + 1] == words, words in printed) == (is_named, is_named)


def test_a_threshold_that_pfc_reaches_first_is_named(inventory: Path) -> None:
    """The edit itself is a small step; what it does to the order of ECN and PFC is not."""
    file = inventory / "fabric.yaml"
    file.write_text(file.read_text().replace("kmax_bytes: 1500000", "kmax_bytes: 9000000"))
    git(inventory, "commit", "-qam", "just below the pause threshold")
    file.write_text(file.read_text().replace("kmax_bytes: 9000000", "kmax_bytes: 11000000"))
    assert _lines(inventory)[0] == (
        "less protection: PFC pauses before ECN marks every packet on 8 ports (leaf)"
    )


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
    replaced, is_cause = _OF_HOSTS[name]
    file = inventory / "fabric.yaml"
    for old, new in replaced:
        file.write_text(file.read_text().replace(old, new))
    host = _device(
        "gpu001",
        Change("/etc/rocefab/apply.sh", "old content", "new content", Risk.HARMLESS),
        Change("eth1 traffic_class_dscp", "26", "30", Risk.HARMLESS),
        platform="host",
        role="host",
    )
    (cause,) = causes_of(Project(inventory), _plan(inventory, [host])).causes
    edits = ["fabric.lossless.roce_dscp: 26 -> 30"] if is_cause else []
    assert [edit.partition(" ")[2] for edit in cause.edits] == edits
    assert (cause.topic, cause.changes) == ("" if is_cause else "files and NICs of hosts", 2)


#: The tenants of the example, and what is edited in them.
_MOVES = {
    "a host leaves": [("gpu[001,003]", "gpu001")],
    "a host enters": [("hosts: gpu002", 'hosts: "gpu[002-003]"'), ("gpu[001,003]", "gpu001")],
}


def _moved(inventory: Path, name: str) -> None:
    file = inventory / "fabric.yaml"
    for old, new in _MOVES[name]:
        file.write_text(file.read_text().replace(old, new, 1))


def _paths(files: Sequence[Artefact]) -> set[str]:
    """Return the lines of files as a plan of EOS names them: with the outermost that holds them."""
    return {": ".join((*line.parents[:1], line.text.strip())) for line in placed_lines(files)}


@each("name", _MOVES)
def test_every_line_of_a_move_between_tenants_follows_from_the_edits(
    tmp_path: Path, name: str
) -> None:
    top = tmp_path / name
    top.mkdir()
    inventory = demo_repository(top, example="tenants")
    before = Project(inventory).switch_files(["su2-rail0"])["su2-rail0"]
    _moved(inventory, name)
    project = Project(inventory)
    after = project.switch_files(["su2-rail0"])["su2-rail0"]
    gone, come = _paths(before) - _paths(after), _paths(after) - _paths(before)
    changes = [_line(path, comes=path in come) for path in (*gone, *come)]
    device = replace(_device("su2-rail0", *changes, platform="eos"), artefacts=tuple(after))
    causes = causes_of(project, _plan(inventory, [device])).causes
    assert sum(cause.changes for cause in causes) == len(settings_of(device.changes)) > 1
    assert all(cause.edits and not cause.topic for cause in causes), causes


_SHUT = "interface Ethernet1/1: shutdown"
_ADDRESS = "interface Ethernet1/1: ip address 10.64.0.32/31"
_POOL = "ip prefix-list PL-Vrf18: seq 10 permit 10.64.0.0/16 ge 31"
_LOOPBACK = "router bgp 65103: rd 10.255.0.131:17"
#: A line of a tenant, whether it comes, whether its host is in quarantine -> what it follows from.
_OF_TENANTS = {
    "a port in quarantine is shut": (_SHUT, True, True, "tenancy.unassigned"),
    "a port is shut by hand": (_SHUT, False, False, "lines that the inventory does not have"),
    "an address of a NIC": (_ADDRESS, True, False, "addressing.hosts"),
    "an address that a NIC had": (_ADDRESS, False, True, "addressing.hosts"),
    "the pool of the hosts of a tenant": (_POOL, True, False, "addressing.hosts"),
    "a route distinguisher": (_LOOPBACK, True, False, "addressing.loopbacks"),
}


@each("name", _OF_TENANTS)
def test_without_an_edit_a_line_of_a_tenant_has_the_part_that_explain_names(
    tmp_path: Path, name: str
) -> None:
    path, comes, is_quarantined, topic = _OF_TENANTS[name]
    folder = shutil.copytree(INVENTORY / "tenants", tmp_path / name)
    if is_quarantined:
        _moved(folder, "a host leaves")
    plan = _device("su2-rail0", _line(path, comes=comes), platform="eos")
    (cause,) = CauseFinder(Project(folder)).of([plan]).causes
    assert cause.topic == topic


#: Lines that somebody added by hand, with the values of the inventory that decide such lines.
_BY_HAND = {
    "a port that is not used": ("interface swp9 description", "mine"),
    "a watchdog": ("qos pfc-watchdog robustness", "4"),
    "a policy of a VRF without a tenant": (
        "router policy prefix-list PL-Vrf9 rule 10 action",
        "permit",
    ),
}


@pytest.mark.parametrize("name", _BY_HAND)
def test_no_value_is_the_reason_why_a_line_by_hand_goes(name: str) -> None:
    path, value = _BY_HAND[name]
    project = Project(INVENTORY / "ipv6")
    (goes, comes) = (
        CauseFinder(project)
        .of([
            _device(
                "spine01", Change(path, *values, Risk.HARMLESS), platform="cumulus", role="spine"
            )
        ])
        .causes[0]
        .topic
        for values in ((value, ""), ("", value))
    )
    assert goes == "lines that the inventory does not have"
    assert comes not in (goes, "other lines")


def test_a_line_that_goes_is_that_of_the_design_before(tmp_path: Path) -> None:
    """The edit is of another port; the line was not rendered before either."""
    inventory = demo_repository(tmp_path, example="tenants")
    _moved(inventory, "a host leaves")
    project = Project(inventory)
    device = _device("su2-rail0", _line(_SHUT, comes=False), platform="eos")
    (cause,) = causes_of(project, _plan(inventory, [device])).causes
    assert cause.topic == "lines that the inventory does not have"


def test_an_edit_since_the_last_run_is_the_cause(inventory: Path) -> None:
    _applied(inventory)
    _raise_kmin(inventory)
    git(inventory, "commit", "--quiet", "--all", "--message=more")
    title, *lines = _lines(inventory)
    assert title.startswith("why devices change: values edited since run 1 (")
    assert lines == _by_the_edit(inventory)


def test_devices_that_differ_for_another_reason_than_the_edit(inventory: Path) -> None:
    file = inventory / "fabric.yaml"
    file.write_text(file.read_text().replace("timeout_s: 240", "timeout_s: 230"))
    lines = _lines(inventory)
    assert "timeout_s" not in "\n".join(lines)
    assert lines[1] == "  lossless.ecn: 3 settings of 3 devices (spine01,su1-rail[0-1])"


def test_an_inventory_outside_git_has_no_edits(tmp_path: Path) -> None:
    shutil.copytree(INVENTORY / "demo", tmp_path / "demo")
    _applied(tmp_path / "demo")
    _raise_kmin(tmp_path / "demo")
    assert _lines(tmp_path / "demo")[0] == "why devices change: values behind the changed lines:"


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
    why = CauseFinder(Project(INVENTORY / "demo")).of(every)
    short, full = ([*describe_causes(why, full=value)] for value in (False, True))
    for line in (
        "  files and NICs of hosts: 2 settings of 2 devices (gpu[1-2])",
        "  other lines: 1 setting of 1 device (su2-rail0)",
        "  lines that are the same in every inventory: 2 settings of 1 device (su2-rail0)",
        "      su2-rail0  + NTP_SERVER|192.0.2.10 = x",
    ):
        assert line in full
    causes = len(full) // 2
    assert causes == 2 + len(_TABLES)
    assert short[:-1] == full[:21]
    assert short[-1] == f"  {causes - 10} more with {causes - 10} settings; `--full` prints all"


_CABLES = (
    "b06-sw1,Ethernet240,core-e,Ethernet0,\nb06-sw1,Ethernet248,core-w,Ethernet0,",
    "b06-sw1,Ethernet240,core-w,Ethernet0,\nb06-sw1,Ethernet248,core-e,Ethernet0,",
)
#: What is written in place of what in the files of the example `explicit` -> lines of the table.
CABLINGS = {
    "a cable is longer": ({"core-e,Ethernet0,": "core-e,Ethernet0,77"}, [19]),
    "two cables swap": (dict([_CABLES]), [19, 20]),
}


@pytest.mark.parametrize("name", CABLINGS)
def test_all_that_follows_from_a_cable_names_its_line(tmp_path: Path, name: str) -> None:
    edits, lines = CABLINGS[name]
    inventory = demo_repository(tmp_path, example="explicit")
    before, file = Project(inventory), inventory / "cabling.csv"
    assert before.switch_artefacts
    for old, new in edits.items():
        assert old in file.read_text()
        file.write_text(file.read_text().replace(old, new, 1))
    project = Project(inventory)
    devices = [
        replace(_device(device, *changes), artefacts=tuple(project.switch_artefacts[device]))
        for device in project.devices
        if (changes := draft(before, project, device).changes)
    ]
    causes = causes_of(project, _plan(inventory, devices)).causes
    places = [[edit.partition(" ")[0] for edit in cause.edits] for cause in causes]
    assert places == [[f"{file}:{line}" for line in lines]]
