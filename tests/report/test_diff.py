"""diff: one changed line gives the expected devices, figures and risk; nothing is dropped."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import pytest

from fabric.report.diff.edits import edits
from fabric.report.diff.model import Diff
from fabric.report.diff.network import moves
from fabric.workflow.diff_source import Source
from fabric.workflow.project import Project
from fabric.workflow.work import Work
from tests.cli.runs import run
from tests.intent.test_own_skus import FILES, TABLE, write
from tests.report.diffs import DEMO, INVENTORY, compared, edited

RAIL = INVENTORY / "rail-512"
TENANTS = INVENTORY / "tenants"
EXAMPLES = sorted(path.parent.name for path in INVENTORY.glob("*/fabric.yaml"))


@dataclass(frozen=True)
class Expected:
    """Counts of a difference: devices and settings of its only cause, and what moves."""

    field: str
    switches: int
    hosts: int
    lines: int
    risk: str
    cables: int = 0
    moves: int = 0
    figures: int = 0
    capacity: int = 0
    attached: int = 0
    added: int = 0
    removed: int = 0


#: Text of inventory/demo/fabric.yaml, what takes its place, and what follows.
CASES = {
    "kmin": (
        ("kmin_bytes: 150000", "kmin_bytes: 200000"),
        Expected("fabric.lossless.ecn.kmin_bytes", 6, 0, 14, "harmless", figures=3),
    ),
    "pmax": (
        ("pmax_percent: 100", "pmax_percent: 50"),
        Expected("fabric.lossless.ecn.pmax_percent", 6, 0, 14, "less protection", figures=3),
    ),
    "watchdog": (
        ("detection_ms: 400", "detection_ms: 600"),
        Expected("fabric.lossless.watchdog.detection_ms", 6, 0, 18, "harmless", figures=3),
    ),
    "DSCP of data": (
        ("roce_dscp: 26", "roce_dscp: 28"),
        Expected("fabric.lossless.roce_dscp", 6, 4, 76, "brief loss", figures=5),
    ),
    "cables of hosts": (
        ("host_m: 5", "host_m: 10"),
        Expected("fabric.cables.host_m", 4, 4, 50, "brief loss", cables=8, figures=1, capacity=2),
    ),
    "cables of uplinks": (
        ("uplink_m: 40", "uplink_m: 100"),
        Expected(
            *("fabric.cables.uplink_m", 4, 0, 52, "brief loss"),
            cables=6,
            figures=2,
            capacity=2,
            attached=4,
        ),
    ),
    "ARP": (
        ("timeout_s: 240", "timeout_s: 300"),
        Expected("fabric.arp.timeout_s", 6, 0, 18, "harmless"),
    ),
    "AS number": (
        ("spine_asn: 65100", "spine_asn: 65000"),
        Expected("fabric.bgp.spine_asn", 6, 0, 10, "sessions end", moves=2, attached=4),
    ),
    "addresses of hosts": (
        ("hosts: 10.64.0.0/16", "hosts: 10.65.0.0/16"),
        Expected("fabric.addressing.hosts", 6, 4, 114, "sessions end", moves=12),
    ),
    "one host more": (
        ("gpu[003-004]", "gpu[003-005]"),
        Expected(
            *("fabric.units.[su2].hosts", 2, 1, 50, "less protection"),
            cables=2,
            capacity=4,
            added=1,
        ),
    ),
    "host with another name": (
        ("gpu[003-004]", "gpu[003,005]"),
        Expected(
            *("fabric.units.[su2].hosts", 2, 2, 2, "harmless"),
            cables=2,
            moves=1,
            added=1,
            removed=1,
        ),
    ),
    "one spine less": (
        ("count: 2", "count: 1"),
        Expected(
            *("fabric.spines.count", 5, 0, 136, "less protection"),
            cables=4,
            capacity=12,
            attached=4,
            removed=1,
        ),
    ),
    "waiver": (
        ("design:", "waivers: [{rule: QOS012, reason: x, until: '2030-01-01'}]\ndesign:"),
        Expected("fabric.waivers", 0, 0, 0, "none"),
    ),
    "severity": (
        ("design:", "severity: {QOS012: {level: warning, reason: x}}\ndesign:"),
        Expected("fabric.severity.QOS012", 0, 0, 0, "less protection"),
    ),
}


@pytest.mark.parametrize(("pair", "expected"), CASES.values(), ids=CASES)
def test_one_line_and_what_follows(
    pair: tuple[str, str], expected: Expected, tmp_path: Path
) -> None:
    after = edited(tmp_path, pair)
    result = compared(DEMO, after)
    [cause] = result.causes
    [edit] = cause.edits
    line = 1 + next(
        number
        for number, text in enumerate((after / "fabric.yaml").read_text().splitlines())
        if pair[1].splitlines()[0] in text
    )
    assert str(edit.place) == f"{after}/fabric.yaml:{line}"
    one = result.summary
    assert expected == Expected(
        edit.field,
        len(cause.switches),
        len(cause.hosts),
        cause.lines,
        one.risk,
        *map(len, (result.cables, result.moves, result.figures, result.capacity)),
        one.hosts_attached,
        one.added,
        one.removed,
    )
    assert (one.reload, one.edits, one.lines) == (False, 1, expected.lines)


def test_figures_have_role_and_value(tmp_path: Path) -> None:
    result = compared(DEMO, edited(tmp_path, ("kmin_bytes: 150000", "kmin_bytes: 200000")))
    assert {(one.role, one.ports_kind, one.ports, one.devices) for one in result.figures} == {
        ("leaf", "host", 8, 4),
        ("leaf", "uplink", 8, 4),
        ("spine", "uplink", 8, 2),
    }
    assert {(one.figure, one.before, one.after) for one in result.figures} == {
        ("kmin_bytes", "150000", "200000")
    }


def test_headroom_by_a_law_is_an_estimate(tmp_path: Path) -> None:
    """Leaves have a row of a table for 40 m; spines size their headroom themselves."""
    result = compared(DEMO, edited(tmp_path, ("uplink_m: 40", "uplink_m: 41")))
    shown = {one.role: one for one in result.figures if one.figure == "headroom_bytes"}
    assert shown["leaf"].before.isdecimal()
    by_law = r"[0-9]+ \(estimate\); not configured \(QOS050\)"
    assert re.fullmatch(by_law, shown["spine"].before)
    assert re.fullmatch(by_law, shown["spine"].after)


def test_a_row_is_shown_by_its_field(tmp_path: Path) -> None:
    result = compared(DEMO, edited(tmp_path, ("kmin_bytes: 150000", "kmin_bytes: 200000")))
    leaf = next(device for device in result.devices if device.name == "su1-rail0")
    assert [str(setting) for setting in leaf.settings] == [
        f"WRED_PROFILE|AZURE_LOSSLESS|{colour}_min_threshold: 150000 -> 200000"
        for colour in ("green", "red", "yellow")
    ]


def test_several_edits_are_told_apart(tmp_path: Path) -> None:
    pairs = [
        ("kmin_bytes: 150000", "kmin_bytes: 200000"),
        ("host_m: 5", "host_m: 10"),
        ("timeout_s: 240", "timeout_s: 300"),
    ]
    result = compared(DEMO, edited(tmp_path, *pairs))
    assert {
        tuple(edit.field for edit in cause.edits): (
            len(cause.switches),
            len(cause.hosts),
            cause.lines,
        )
        for cause in result.causes
    } == {
        ("fabric.lossless.ecn.kmin_bytes",): (6, 0, 14),
        ("fabric.cables.host_m",): (4, 4, 50),
        ("fabric.arp.timeout_s",): (6, 0, 18),
    }


_RED = ('"gpu[001,003]"', "gpu001")
_BLUE = ("hosts: gpu002,", 'hosts: "gpu[002-003]",')
_SPINE = ("count: 2", "count: 1")
_KMIN = ("kmin_bytes: 150000", "kmin_bytes: 200000")
_KMAX = ("kmax_bytes: 1500000", "kmax_bytes: 1600000")
_ARP = ("timeout_s: 240", "timeout_s: 300")

#: Edits of inventory/tenants, whether they are undone, and how many settings each cause has.
#: Red must give gpu003 away before blue has it, and the other way round.
TOGETHER: dict[str, tuple[tuple[tuple[str, str], ...], bool, dict[str, int]]] = {
    "a host joins another tenant": ((_RED, _BLUE), False, {"red": 25, "red blue": 15}),
    "and goes back": ((_RED, _BLUE), True, {"blue": 11, "red blue": 29}),
    "beside an edit of other lines": (
        (_RED, _BLUE, _SPINE),
        False,
        {"count": 52, "red": 25, "red blue": 15},
    ),
    "beside two": (
        (_RED, _BLUE, _SPINE, _ARP),
        False,
        {"count": 52, "red": 25, "red blue": 15, "timeout_s": 5},
    ),
    "two values of one line": (
        (_KMIN, _KMAX, _SPINE),
        False,
        {"kmin_bytes kmax_bytes": 5, "count": 52},
    ),
}


@pytest.mark.parametrize(("pairs", "is_back", "expected"), TOGETHER.values(), ids=TOGETHER)
def test_a_cause_gives_its_settings_their_values(
    pairs: tuple[tuple[str, str], ...], is_back: bool, expected: dict[str, int], tmp_path: Path
) -> None:
    sides = TENANTS, edited(tmp_path, *pairs, source=TENANTS)
    result = compared(*(sides[::-1] if is_back else sides))
    assert {
        " ".join(_last(edit.field) for edit in cause.edits): cause.lines for cause in result.causes
    } == expected


def _last(field: str) -> str:
    """Return the last member of a field, of the hosts of a tenant its name."""
    return field.removesuffix(".hosts").rpartition(".")[2].strip("[]")


_LOSSLESS = (
    "lossless:\n  ecn: {kmin_bytes: 150000, kmax_bytes: 1500000, pmax_percent: 100}\n",
    "",
)
_RULE = "{level: warning, reason: x}"

#: A section that inventory/tenants without its policy does not have, and the values that count.
SECTIONS = {
    "values of their own": (
        "lossless: {ecn: {kmin_bytes: 180000, kmax_bytes: 1400000}, mtu: {host_bytes: 4200}}",
        ["lossless.ecn.kmin_bytes", "lossless.ecn.kmax_bytes", "lossless.mtu.host_bytes"],
    ),
    "fields that need each other": (
        f"severity: {{QOS012: {_RULE}, QOS013: {_RULE}}}",
        ["severity.QOS012", "severity.QOS013"],
    ),
    "more than are tried": (
        (
            "lossless: {roce_dscp: 26, cnp_dscp: 48, pfc_priority: 3, ecn: {kmin_bytes: 180000}, "
            "watchdog: {detection_ms: 400, restoration_ms: 400, poll_ms: 200}, "
            "mtu: {host_bytes: 4200}, pfc: true}"
        ),
        ["lossless"],
    ),
    "a list": ("waivers: [{rule: QOS012, reason: x, until: '2030-01-01'}]", ["waivers"]),
}


@pytest.mark.parametrize(("section", "fields"), SECTIONS.values(), ids=SECTIONS)
def test_a_section_is_as_many_values_as_it_has(
    section: str, fields: list[str], tmp_path: Path
) -> None:
    bare = edited(tmp_path, _LOSSLESS, source=TENANTS, name="bare")
    full = edited(tmp_path, ("name: tenants", f"name: tenants\n{section}"), source=bare)
    sides = [Source(folder, folder.name, Work()).contents() for folder in (bare, full)]
    for pair in (sides, sides[::-1]):
        assert [traced.edit.field for traced in edits(*pair)] == [
            f"fabric.{name}" for name in fields
        ]


@pytest.mark.parametrize("is_back", [False, True], ids=["comes", "goes"])
def test_each_value_of_a_section_is_a_cause(is_back: bool, tmp_path: Path) -> None:
    bare = edited(tmp_path, _LOSSLESS, source=TENANTS, name="bare")
    section = SECTIONS["values of their own"][0]
    full = edited(tmp_path, ("name: tenants", f"name: tenants\n{section}"), source=bare)
    result = compared(*((full, bare) if is_back else (bare, full)))
    assert result.summary.edits == 3
    assert {
        " ".join(_last(edit.field) for edit in cause.edits): cause.lines for cause in result.causes
    } == {"kmin_bytes kmax_bytes": 6, "host_bytes": 21}


def test_edits_that_need_each_other_are_one_cause(tmp_path: Path) -> None:
    """A unit more than the pool of its addresses holds, and a larger pool."""
    small = edited(tmp_path, ("10.64.0.0/16", "10.64.0.0/22"), name="before")
    pairs = [
        ("hosts: 10.64.0.0/22", "hosts: 10.64.0.0/16"),
        ('"gpu[003-004]"}', '"gpu[003-004]"}\n  - {name: su3, hosts: "gpu[005-006]"}'),
    ]
    result = compared(small, edited(tmp_path, *pairs, source=small))
    assert (result.summary.added, len(result.edits)) == (4, 2)
    makers = [cause for cause in result.causes if "su3-rail0" in cause.switches]
    assert [edit.field for cause in makers for edit in cause.edits] == ["fabric.units.[su3]"]
    assert all(cause.edits for cause in result.causes)


def test_an_override_is_named_with_its_devices(tmp_path: Path) -> None:
    after = edited(tmp_path)
    file = after / "devices" / "shorter-cables.yaml"
    file.write_text(file.read_text().replace("cable_m: 5", "cable_m: 10"))
    result = compared(DEMO, after)
    [cause] = result.causes
    assert cause.switches == ("su2-rail0", "su2-rail1")
    [edit] = cause.edits
    assert edit.field == "devices.[su2-rail[0-1]].ports.Ethernet136.cable_m"
    assert str(edit.after_place) == f"{file}:7"


def test_cables_that_are_swapped(tmp_path: Path) -> None:
    before = INVENTORY / "explicit"
    after = edited(tmp_path, source=before)
    file = after / "cabling.csv"
    old = "x3003,eth2,b06-sw2,Ethernet8,", "x3004,eth2,b06-sw2,Ethernet24,"
    new = "x3003,eth2,b06-sw2,Ethernet24,", "x3004,eth2,b06-sw2,Ethernet8,"
    text = file.read_text()
    assert all(line in text for line in old)
    file.write_text(text.replace(old[0], new[0]).replace(old[1], new[1]))
    result = compared(before, after)
    assert [(one.kind, one.what, one.before, one.after) for one in result.cables] == [
        ("moved", "x3003 eth2", "b06-sw2 Ethernet8", "b06-sw2 Ethernet24"),
        ("moved", "x3004 eth2", "b06-sw2 Ethernet24", "b06-sw2 Ethernet8"),
    ]
    assert {edit.field for edit in result.edits} == {"cabling.x3003 eth2", "cabling.x3004 eth2"}
    number = 1 + text.splitlines().index(old[0])
    assert str(result.edits[0].place) == f"{file}:{number}"
    assert all(cause.edits for cause in result.causes)
    assert "b06-sw2" in {name for cause in result.causes for name in cause.switches}


def test_a_table_of_an_own_switch_model(tmp_path: Path) -> None:
    before = write(tmp_path / "before", FILES)
    table = TABLE.replace("393192 0 3556", "393192 0 4")
    after = write(tmp_path / "after", {**FILES, "platforms/mine/pg_profile_lookup.ini": table})
    sides = [Source(folder, str(folder), Work()).contents() for folder in (before, after)]
    [one] = edits(*sides)
    assert (one.kind, one.effective) == ("table", True)
    place = f"{after}/platforms/mine/pg_profile_lookup.ini"
    assert str(one.edit) == (
        f"{place} platforms/mine/pg_profile_lookup.ini: "
        f"file of {len(TABLE)} bytes -> file of {len(table)} bytes"
    )


def test_a_file_of_overrides_that_vanishes(tmp_path: Path) -> None:
    after = edited(tmp_path)
    (after / "devices" / "shorter-cables.yaml").unlink()
    [cause] = compared(DEMO, after).causes
    [edit] = cause.edits
    assert (edit.field, edit.after, edit.after_place) == ("devices.[su2-rail[0-1]]", None, None)
    assert str(edit.before_place) == f"{DEMO}/devices/shorter-cables.yaml:5"
    assert cause.switches == ("su2-rail0", "su2-rail1")


def test_comments_and_order_of_members_are_no_change(tmp_path: Path) -> None:
    pair = ("roce_dscp: 26\n  cnp_dscp: 48", "cnp_dscp: 48 # first\n  roce_dscp: 26")
    assert compared(DEMO, edited(tmp_path, pair)).empty


@pytest.mark.parametrize("name", EXAMPLES)
def test_nothing_differs_from_itself(name: str) -> None:
    result = compared(INVENTORY / name, INVENTORY / name)
    assert result.empty
    assert (result.summary.risk, result.causes, result.devices) == ("none", (), ())


def _sides(result: Diff, *, swapped: bool) -> dict[str, set[tuple[object, ...]]]:
    """Return all that a difference says of two sides, as if it were asked the other way round."""

    def turned(before: object, after: object) -> tuple[object, object]:
        return (after, before) if swapped else (before, after)

    states = {"added": "removed", "removed": "added"} if swapped else {}
    settings = [(device, one) for device in result.devices for one in device.settings]
    moves = [*result.cables, *result.moves]
    return {
        "edits": {(edit.field, *turned(edit.before, edit.after)) for edit in result.edits},
        "devices": {(one.name, states.get(one.state, one.state)) for one in result.devices},
        "settings": {
            (device.name, one.file, one.path, *turned(one.before, one.after))
            for device, one in settings
        },
        "moves": {
            (states.get(one.kind, one.kind), one.what, *turned(one.before, one.after))
            for one in moves
        },
        "figures": {
            (one.role, one.ports_kind, one.figure, *turned(one.before, one.after), one.ports)
            for one in result.figures
        },
        "capacity": {(one.item, *turned(one.before, one.after)) for one in result.capacity},
    }


@pytest.mark.parametrize("pair", [pair for pair, _ in CASES.values()], ids=CASES)
def test_the_other_way_round_is_the_mirror(pair: tuple[str, str], tmp_path: Path) -> None:
    after = edited(tmp_path, pair)
    forth, back = compared(DEMO, after), compared(after, DEMO)
    assert _sides(forth, swapped=True) == _sides(back, swapped=False)


_SMALL = ("demo", "mixed", "explicit", "dual-tor")


@pytest.mark.parametrize("names", list(combinations(_SMALL, 2)), ids="-".join)
def test_every_file_that_differs_is_accounted_for(names: tuple[str, str]) -> None:
    before, after = (INVENTORY / name for name in names)
    result = compared(before, after)
    old, new = _files(before), _files(after)
    apart = {path for path in {*old, *new} if old.get(path) != new.get(path)}
    assert {file for device in result.devices for file in device.files} == apart
    assert sum(cause.lines for cause in result.causes) == sum(
        len(device.settings) for device in result.devices
    )
    caused = {name for cause in result.causes for name in (*cause.switches, *cause.hosts)}
    assert caused == {device.name for device in result.devices}
    assert _sides(result, swapped=True) == _sides(compared(after, before), swapped=False)


def _files(folder: Path) -> dict[str, bytes]:
    project = Project(folder)
    every = {**project.switch_artefacts, **project.host_artefacts}
    return {item.path: item.content for items in every.values() for item in items}


def test_a_system_that_is_replaced_is_a_restart(tmp_path: Path) -> None:
    after = edited(tmp_path, ("spine: {sku: 7060X6-64PE}", "spine: {sku: ACS-SN5600}"))
    result = compared(DEMO, after)
    spine = next(device for device in result.devices if device.name == "spine01")
    assert (spine.risk, spine.reload) == ("restart", True)
    assert spine.notes == ("eos is replaced by sonic: install the switch again",)
    assert result.summary.reload is True


def test_what_moves_is_in_the_order_of_the_inventory(tmp_path: Path) -> None:
    """Names are no numbers: the order of a set of them differs from run to run."""
    after = edited(tmp_path, ("leaf_asn_first: 65101", "leaf_asn_first: 65201"), source=RAIL)
    names = [one.what for one in moves(Project(RAIL), Project(after)) if one.kind == "AS number"]
    leaves = Project(RAIL).fabric.switches.names[: len(names)]
    assert names == list(leaves)
    assert len(names) > 8


def test_addresses_of_both_families_move(tmp_path: Path) -> None:
    """A port has an address of each, and both are shown."""
    dual = INVENTORY / "dual-stack"
    pools = (("10.64.0.0/16", "10.66.0.0/16"), ("fd00:64::/48", "fd00:66::/48"))
    moves = compared(dual, edited(tmp_path, *pools, source=dual)).moves
    kinds = Counter(move.kind for move in moves)
    assert kinds == dict.fromkeys(
        ("gateway address", "gateway IPv6 address", "nic address", "nic IPv6 address"), 8
    )
    assert ("fd00:64::21/127", "fd00:66::21/127") in {(move.before, move.after) for move in moves}


def test_another_system_is_compared_where_the_states_between_are_rejected(tmp_path: Path) -> None:
    """An edit alone would give EOS the queue that NX-OS needs, which EOS keeps for itself."""
    folders = [tmp_path / name for name in ("nxos", "eos")]
    for folder, spine in zip(folders, ("N9K-C9364D-GX2A", "7060DX5-64S"), strict=True):
        wish = ("--hosts", "8", "--rails", "2", "--leaf", "N9K-C9364D-GX2A", "--nic-gbps", "400")
        ended = run("init", folder, "--design", "rail-optimised", *wish, "--spine", spine)
        assert ended.code == 0, ended.err
    for before, after in (folders, folders[::-1]):
        assert {one.name for one in compared(before, after).devices} >= {"spine01", "su1-rail0"}


def test_a_switch_with_two_forms_of_its_configuration_counts_once(tmp_path: Path) -> None:
    """Junos: a server for each of the switches is one setting of each, in all forms."""
    words = ("--design", "rail-optimised", "--hosts", "8", "--leaf", "QFX5240-64OD")
    assert run("init", str(tmp_path / "before"), *words).code == 0
    before = tmp_path / "before"
    after = edited(tmp_path, source=before)
    file = after / "fabric.yaml"
    file.write_text(f"{file.read_text()}management: {{ntp_servers: [192.0.2.1, 192.0.2.2]}}\n")
    result = compared(before, after)
    switches = [device for device in result.devices if device.role != "host"]
    assert [one.path for one in switches[0].settings] == [
        "set system ntp server 192.0.2.1",
        "set system ntp server 192.0.2.2",
    ]
    assert result.causes[0].lines == 2 * len(switches)
