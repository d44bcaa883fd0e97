"""whatif, show capacity and show paths: what they say of small fabrics, and how they are asked."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
import yaml

from fabric.core.errors import InputError
from fabric.core.steps import watched
from fabric.core.units import percent_left
from fabric.report.capacity import capacity, leaves, paths
from fabric.report.singles import singles
from fabric.report.whatif import whatif
from fabric.validate.runner import Outcome
from fabric.workflow.project import Project
from tests.cli.runs import DEMO, run

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "whatif.md").read_text()
A100 = ROOT / "inventory" / "a100-pcie"
RAIL = ROOT / "inventory" / "rail-512"
#: Each spine its own AS, so that a leaf may carry traffic of the others.
OWN_AS = "devices:\n  - {names: spine01, asn: 65001}\n  - {names: spine02, asn: 65002}\n"


@pytest.fixture(scope="module")
def demo() -> Project:
    return Project(DEMO)


def changed(folder: Path, devices: str, **changes: object) -> Project:
    data = yaml.safe_load((DEMO / "fabric.yaml").read_text())
    (folder / "fabric.yaml").write_text(yaml.safe_dump(data | changes))
    (folder / "devices").mkdir()
    (folder / "devices" / "x.yaml").write_text(devices)
    return Project(folder)


def test_a_spine_of_two_halves_the_uplinks(demo: Project) -> None:
    result = whatif(demo, ["switch:spine01"])
    assert (result.impact.leaf_pairs, result.impact.host_pairs) == ((6, 0), (6, 0))
    assert result.units == [("su1", 1600, 1600, 1600, 800), ("su2", 1600, 1600, 1600, 800)]
    assert [(one.role, one.switches, one.times) for one in result.moved] == [("leaf", 4, 2.0)]
    assert [row[1:] for row in result.worst_hosts] == [(800, 400, 0.5)] * 4
    assert [finding.rule for finding in result.new_findings] == ["TOP014"]
    assert result.reasons == []


def test_two_cables_cut_a_rail_in_two(demo: Project) -> None:
    """A leaf without uplinks: its hosts still reach the others over their other rail."""
    result = whatif(demo, ["switch:spine01", "link:su1-rail0:Ethernet136"])
    assert (result.impact.leaf_pairs, result.impact.host_pairs) == ((6, 3), (6, 0))
    assert result.reasons == ["rail 0 is split into 2 parts", "1 new error"]
    assert [(one.switches, one.times) for one in result.moved] == [(3, 2.0), (1, None)]


@pytest.mark.parametrize(
    ("form", "words", "cut"),
    [
        ("evpn", "switch:su2-rail0", {"red": 0, "blue": 1}),
        ("evpn", "switch:su2-rail[0-1]", {"red": 1, "blue": 1}),
        ("evpn", "switch:su1-rail1", {"red": 0, "blue": 0}),
        ("evpn", "host:gpu001", {"red": 1}),
        ("local", "switch:su2-rail[0-1]", {"red": 0, "blue": 0}),
    ],
)
def test_tenants_whose_hosts_are_cut_apart(
    tmp_path: Path, form: str, words: str, cut: dict[str, int]
) -> None:
    """blue has both NICs of gpu002 and one of gpu004; red has gpu001 and gpu003.

    Local tenants reach NICs of their leaf alone, and each of these hosts has other leaves.
    """
    data = yaml.safe_load((ROOT / "inventory" / "tenants" / "fabric.yaml").read_text())
    data["tenancy"]["form"] = form
    (tmp_path / "fabric.yaml").write_text(yaml.safe_dump(data))
    result = whatif(Project(tmp_path), [words], rules=False)
    assert {one.name: one.host_pairs_cut for one in result.tenants} == cut
    for name, pairs in cut.items():
        assert (f"1 pair of hosts of tenant {name} is cut" in result.reasons) == bool(pairs)
    assert {row["tenant"]: row["host_pairs_cut"] for row in result.as_dict()["tenants"]} == cut


def test_hosts_that_lose_a_rail_are_those_that_have_others() -> None:
    """One NIC of gpu004 is in quarantine, so rail 0 is its last; it is cut off with it."""
    result = whatif(Project(ROOT / "inventory" / "tenants"), ["su2-rail0"], rules=False)
    assert result.reasons[-1] == "1 host loses a rail: gpu003"
    assert result.as_dict()["rail_losers"] == ["gpu003"]
    assert {title: rows for title, _, rows in result.tables()}["Lost rails"] == [
        ("gpu003", "rail0", "other rails"),
        ("gpu004", "rail0", "no rail"),
    ]


def test_all_words(demo: Project) -> None:
    """Pairs of hosts before, and cut; a host NIC has no name of its own: its leaf port has."""
    for word, cut, lost in (
        ("cable-bundle:spine01:su1-rail0", 0, []),
        ("link:spine01:Ethernet1/1", 0, []),
        ("link:su1-rail0:Ethernet0", 0, [[0, 0]]),
        ("switch:su1-rail[0-1]", 5, [[0, 0], [0, 1], [1, 0], [1, 1]]),
        ("rack:su2", 5, [[2, 0], [2, 1], [3, 0], [3, 1]]),
        ("host:gpu001", 3, [[0, 0], [0, 1]]),
        ("gpu[001-002]:eth1", 0, [[0, 0], [1, 0]]),
        ("link:su1-rail[0-1]:Ethernet0", 3, [[0, 0], [0, 1]]),
        ("cable-bundle:spine[01-02]:su1-rail0", 0, []),
        ("rack:su[1-2]", 6, [[host, rail] for host in range(4) for rail in (0, 1)]),
    ):
        result = whatif(demo, [word], rules=False).impact
        assert (word, result.host_pairs[1], result.rails_lost.tolist()) == (word, cut, lost)


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("switch:spine1", "there is no switch 'spine1'; did you mean 'spine01'?"),
        ("switch:spine[02-01]", "[02-01] counts down; write the range as [01-02]"),
        ("host:gpu1", "host 'gpu1'; did you mean 'gpu001'?"),
        ("rack:su9", "there is no unit 'su9'; known: su[1-2]"),
        ("switch:gpu001", "'gpu001' is a host, not a switch; --fail host:gpu001 takes it down"),
        ("host:spine01", "'spine01' is a switch, not a host; --fail switch:spine01 takes it"),
        ("link:leaf:Ethernet0", "there is no switch 'leaf'"),
        ("link:su1-rail0:Ethernet1", "there is no port 'Ethernet1'; did you mean 'Ethernet"),
        ("link:su1-rail0:Ethernet248", "no cable is connected to su1-rail0 Ethernet248"),
        ("cable-bundle:spine01:spine02", "there is no cable between spine01 and spine02"),
        ("cable-bundle:spine01", "'spine01' does not name two switches"),
        ("cable-bundle:spine01:spine9", "there is no switch 'spine9'"),
        ("spine09", "there is no device 'spine09'; known: spine[01-02]"),
        ("x", "there is no device 'x'; `rocefab show topology` lists them; or use one of link:"),
        ("spine[01-03]", "there is no device 'spine03'"),
        ("switch:", "'switch:' is not a valid failure"),
        ("host", "'host' is not a valid failure; use one of link:SWITCH:PORT, "),
        ("gpu001:eth9", "gpu001 has no NIC 'eth9'; its NICs are eth1, eth2"),
        ("gpu[001-002]:eth1,gpu003:eth9", "gpu003 has no NIC 'eth9'"),
        ("gpu001:", "gpu001 has no NIC ''; its NICs are eth1, eth2"),
    ],
)
def test_words_that_name_nothing(demo: Project, word: str, message: str) -> None:
    with pytest.raises(InputError, match="^1 error in the list of failures$") as caught:
        whatif(demo, [word])
    assert message in str(caught.value.findings[0])


def test_the_cable_of_a_nic_has_the_name_of_either_end(demo: Project) -> None:
    for word in ("link:su1-rail1:Ethernet8", "gpu002:eth2", "link:gpu002:eth2"):
        assert whatif(demo, [word], rules=False).impact.rails_lost.tolist() == [[1, 1]], word


def test_a_drain_is_safe_until_the_other_spine_is_down(demo: Project) -> None:
    assert whatif(demo, [], drain="spine01", rules=False).reasons == []
    after = whatif(demo, ["switch:spine02"], drain="spine01", rules=False)
    assert after.impact.leaf_pairs == (6, 6)
    cut = [
        "4 pairs of hosts are cut",
        "rail 0 is split into 2 parts",
        "rail 1 is split into 2 parts",
    ]
    assert after.reasons == cut
    assert whatif(demo, [], drain="su1-rail0", rules=False).reasons == [
        "2 hosts lose a rail: gpu[001-002]"
    ]


def test_a_failure_that_makes_a_leaf_carry_traffic_of_spines(tmp_path: Path) -> None:
    """Spines of different ASes: without two uplinks a leaf between them is on the way."""
    project = changed(tmp_path, OWN_AS)
    result = whatif(project, ["link:su1-rail0:Ethernet128", "link:su1-rail1:Ethernet136"])
    assert [one.rule for one in result.new_findings] == ["QOS060", "TOP014"]
    assert result.reasons == ["1 new error"]
    ranking = singles(project, ["link:su1-rail0:Ethernet128"], links=False)
    assert ranking.circle.startswith(
        "when su1-rail1 Ethernet136 to spine02 Ethernet2/1 fails, cyclic buffer dependency"
    )


def test_rank_of_a_fabric_without_a_second_nic() -> None:
    """Each host has one NIC: its cable and its leaf are single points of failure."""
    result = singles(Project(A100))
    assert [(one.what, one.count, one.host_pairs) for one in result.groups] == [
        ("leaf", 1, 3),
        ("leaf", 1, 2),
        ("NIC cable", 3, 2),
        ("spine", 2, 0),
        ("uplink", 4, 0),
    ]
    assert (result.single_points, result.failures) == (5, 11)
    assert result.rows()[2][-1] == "a100-1 ens1f0 - rack1-leaf Ethernet1/1 and 2 more"
    assert result.as_dict()["groups"][0]["names"] == ["rack1-leaf"]


def test_rank_after_something_failed(demo: Project) -> None:
    """With one spine down each leaf hangs on one uplink, and all on the other spine."""
    result = singles(demo, ["switch:spine02"])
    worst = result.groups[0]
    assert (worst.what, worst.names, worst.leaf_pairs, worst.rails) == ("spine", ("spine01",), 6, 2)
    uplinks = next(one for one in result.groups if one.what == "uplink")
    assert (uplinks.count, uplinks.leaf_pairs, uplinks.rails) == (4, 3, 1)
    assert all("spine02" not in one.names for one in result.groups)


def test_capacity_of_the_examples() -> None:
    rows = {item: value for item, value, _ in capacity(Project(RAIL)).rows}
    assert rows == {
        "oversubscription, leaf tier": "1.00:1",
        "oversubscription, rail 0-7": "1.00:1",
        "oversubscription, worst leaf": "1.00:1",
        "uplinks in use": "512 of 512",
        "uplinks of the weakest unit": "102,400 Gb/s",
        "bisection, one way": "102,400 Gb/s",
        "leaf pairs with a path": "120 of 120",
        "equal paths of a leaf pair": "128",
        "diameter": "2 cables",
        "path MTU": "9,000 bytes",
        "longest cable path": "90 m",
        "round trip of that path": "9.24 us",
    }


def test_numbers_of_the_capacity() -> None:
    """JSON has each item as a number too; text does not."""
    rows = json.loads(run("show", "capacity", RAIL, "--format", "json").out)
    numbers = {row["item"]: (row["number"], row["unit"], row.get("of")) for row in rows}
    assert numbers["oversubscription, worst leaf"] == (1.0, ":1", None)
    assert numbers["uplinks in use"][0] == numbers["uplinks in use"][2]
    assert numbers["path MTU"] == (9000, "bytes", None)
    for row in rows:
        assert f"{row['number']:,.2f}" in row["value"] or f"{row['number']:,}" in row["value"], row


def test_capacity_of_what_is_left(tmp_path: Path) -> None:
    """One leaf without uplinks, another with one; the MTU of one port is small."""
    project = changed(
        tmp_path,
        "devices:\n"
        "  - {names: su1-rail0, ports: {Ethernet128: {enabled: false}, Ethernet136:"
        " {enabled: false}}}\n"
        "  - {names: su2-rail1, ports: {Ethernet128: {enabled: false}, Ethernet0:"
        " {lossless: {mtu: {port_bytes: 5000}}}}}\n",
    )
    rows = {item: value for item, value, _ in capacity(project).rows}
    assert rows["uplinks in use"] == "5 of 8"
    assert rows["leaf pairs with a path"] == "3 of 6"
    assert rows["equal paths of a leaf pair"] == "1 to 2"
    assert rows["oversubscription, worst leaf"] == "2.00:1"
    assert rows["path MTU"] == "5,000 bytes"
    result = paths(project, "su1-rail0").rows
    assert result == tuple(("su1-rail0", leaf, 1, 0, 0, 0, 0) for leaf in (
        "su1-rail1", "su2-rail0", "su2-rail1",
    ))  # fmt: skip
    kinds = paths(project).rows
    assert sum(row[2] for row in kinds) == 6
    assert ("su1-rail1", "su2-rail0", 1, 2, 2, 2, 2) in kinds


def test_no_such_leaf(demo: Project) -> None:
    with pytest.raises(InputError) as caught:
        paths(demo, "spine01")
    assert "leaf 'spine01' does not exist" in str(caught.value.findings[0])


@pytest.mark.parametrize(
    ("words", "code", "text", "key"),
    [
        (
            ("--fail", "spine01"),
            0,
            "nothing is cut off; 50 % of the uplinks of su[1-2] are left",
            "units",
        ),
        (("--fail", "spine[01-02]"), 4, "harmless: no: 4 pairs of hosts are cut", "units"),
        (("--fail", "rack:su1"), 4, "harmless: no: 5 pairs of hosts are cut", "units"),
        (
            ("--drain", "spine01", "--no-rules"),
            0,
            "safe: yes; 50 % of the uplinks of su[1-2] are left",
            "moved",
        ),
        (
            ("--fail", "switch:su1-rail0"),
            4,
            "harmless: no: 2 hosts lose a rail: gpu[001-002]",
            "units",
        ),
        (("--fail", "host:gpu001"), 4, "harmless: no: 3 pairs of hosts are cut", "units"),
        (("--all-links", "--all-switches"), 4, "12 single points of failure", "groups"),
    ],
)
def test_commands_as_text_and_as_json(words, code, text, key) -> None:
    ended = run("whatif", DEMO, *words)
    assert (ended.code, text in ended.said) == (code, True), ended
    ended = run("whatif", DEMO, *words, "--format", "json")
    assert ended.code == code
    assert key in json.loads(ended.out)


#: What fails; whether it is harmless, whether it is safe, and the verdict.
VERDICTS = {
    "a spine": ("demo", ["spine01"], "", False, True, "nothing is cut off; 50 % of the uplinks"),
    "a drain": ("demo", [], "spine01", False, True, "safe: yes; 50 % of the uplinks of su[1-2]"),
    "a leaf": (
        "demo",
        ["su1-rail0"],
        "",
        False,
        False,
        "harmless: no: 2 hosts lose a rail: gpu[001-002]",
    ),
    "above the spines": (
        "three-tier",
        ["core01"],
        "",
        False,
        True,
        "nothing is cut off; 75 % of the bandwidth of east,west to other pods is left",
    ),
    "a spine of a pod": (
        "three-tier",
        ["east-spine01"],
        "",
        False,
        True,
        "nothing is cut off; 50 % of the uplinks of rack[1-2] are left",
    ),
    "less between the pods than in them": (
        "three-tier",
        ["east-spine01", "core02"],
        "",
        False,
        True,
        "nothing is cut off; 25 % of the bandwidth of east,west to other pods is left",
    ),
    "cables of one spine": (
        "three-tier",
        ["cable-bundle:core01:east-spine01", "cable-bundle:core03:east-spine01"],
        "",
        False,
        True,
        "nothing is cut off; 50 % of the bandwidth of east,west to other pods is left",
    ),
    "nothing": ("demo", [], "", True, True, "harmless: yes"),
}


@pytest.mark.parametrize("name", VERDICTS)
def test_what_loses_bandwidth_is_not_harmless(name: str) -> None:
    example, failed, drain, is_harmless, is_safe, verdict = VERDICTS[name]
    project = Project(DEMO.parent / example)
    answer = whatif(project, failed, drain=drain, rules=False).as_dict()
    assert (answer["harmless"], answer["safe"]) == (is_harmless, is_safe)
    assert answer["verdict"].startswith(verdict)


def test_bandwidth_to_other_pods_is_shown() -> None:
    words = (DEMO.parent / "three-tier", "--fail", "core[01-02]", "--no-rules")
    shown = run("whatif", *words).out
    assert "Remaining bandwidth to other pods\npod   gb/s   left\n" in shown
    assert "\neast  1,600  50 %\nwest  1,600  50 %\n" in shown
    assert json.loads(run("whatif", *words, "--format", "json").out)["pods"] == [
        {"pod": pod, "gbps": 3200, "gbps_left": 1600} for pod in ("east", "west")
    ]
    assert "pods" not in json.loads(
        run("whatif", DEMO, "--fail", "spine01", "--format", "json").out
    )


#: Pods of the racks -> Gb/s of the smallest cut, and its sides.
SIDES = {
    ("east", "west", "west", "west"): (1600, "the pods east and west"),
    ("east", "middle", "middle", "west"): (1600, "the pod east and the others"),
    ("east", "east", "west", "west"): (1600, "the units rack1 to rack2 and rack3 to rack4"),
}


@pytest.mark.parametrize("pods", SIDES)
def test_the_bisection_names_both_sides(pods: tuple[str, ...], tmp_path: Path) -> None:
    data = yaml.safe_load((DEMO.parent / "three-tier" / "fabric.yaml").read_text())
    for unit, pod in zip(data["units"], pods, strict=True):
        unit["pod"] = pod
    data["super_spines"]["links_per_spine"] = 1
    (tmp_path / "fabric.yaml").write_text(yaml.safe_dump(data))
    rows = {item: (value, how) for item, value, how in capacity(Project(tmp_path)).rows}
    gbps, sides = SIDES[pods]
    value, how = rows["bisection, one way"]
    assert (value, how.partition(";")[0]) == (f"{gbps:,} Gb/s", f"minimum cut between {sides}")


def test_a_job_runs_at_the_speed_of_the_slowest_nic() -> None:
    """A leaf of two takes half of a NIC of each host, and a quarter of the bandwidth of a host."""
    ended = run("whatif", DEMO.parent / "dual-tor", "--fail", "su1-rail0-a", "--no-rules")
    assert ended.code == 0
    assert "50 % of the bandwidth of a NIC of gpu[01-08] is left" in ended.out
    assert re.search(r"^gpu\[01-08\] +[\d,]+ +75 % +50 %$", ended.out, re.MULTILINE)


def test_two_ports_of_a_nic_leave_no_single_point() -> None:
    """In the demonstration each leaf and each NIC cable is one: a host loses a rail by it."""
    words = ("--all-links", "--all-switches", "--format", "json")
    ended = run("whatif", DEMO.parent / "dual-tor", *words)
    assert ended.code == 0
    assert json.loads(ended.out)["single_points_of_failure"] == 0
    groups = json.loads(run("whatif", DEMO, *words).out)["groups"]
    assert {one["what"]: one["hosts_that_lose_a_rail"] for one in groups} == {
        "leaf": 2,
        "NIC cable": 1,
        "spine": 0,
        "uplink": 0,
    }


def test_a_switch_without_a_cable_that_is_up_is_named(tmp_path: Path) -> None:
    off = "{names: 'su[1-2]-rail[0-1]', ports: {Ethernet128: {enabled: false}}}"
    (tmp_path / "fabric.yaml").write_text((DEMO / "fabric.yaml").read_text())
    (tmp_path / "devices").mkdir()
    (tmp_path / "devices" / "x.yaml").write_text(f"devices:\n  - {off}\n")
    ended = run("whatif", tmp_path, "--all-switches")
    assert "switches without a cable that is up, not counted: spine01\n" in ended.out
    told = json.loads(run("whatif", tmp_path, "--all-switches", "--format", "json").out)
    assert told["switches_without_cables"] == ["spine01"]
    assert "not counted" not in run("whatif", DEMO, "--all-switches").out


@pytest.mark.parametrize("words", [(), ("--drain", "spine01", "--all-links")])
def test_what_is_asked_must_be_clear(words) -> None:
    ended = run("whatif", DEMO, *words)
    assert (ended.code, ended.out) == (2, "")
    assert "specify --fail, --drain, --all-links" in ended.err


@pytest.mark.parametrize("what", ["capacity", "paths"])
def test_show_as_text_and_as_json(what: str) -> None:
    assert run("show", what, DEMO).code == 0
    assert json.loads(run("show", what, DEMO, "--format", "json").out)


@pytest.mark.parametrize(
    ("line", "text"),
    re.findall(r"^```console\n\$ ([^\n]*)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL),
)
def test_the_page_shows_what_is_printed(line: str, text: str, monkeypatch) -> None:
    monkeypatch.chdir(ROOT)
    assert run(*shlex.split(line)[1:]).out == text


def test_a_rule_that_fails_on_what_is_left_is_told(monkeypatch) -> None:
    broken = Outcome((), (), (), (("QOS999", "ValueError: nothing"),))
    monkeypatch.setattr("fabric.report.whatif._outcome", lambda *_: broken)
    ended = run("whatif", DEMO, "--fail", "switch:spine01")
    assert ended.code == 3
    assert "rule QOS999 could not run: ValueError: nothing\n" in ended.err


def test_capacity_and_paths_without_what_is_down(demo: Project) -> None:
    down = ["switch:spine01", "link:su1-rail0:Ethernet136"]
    assert leaves(demo, down).rows == (
        ("su1-rail0", 800, 0, "no uplinks", 0, 2),
        ("su1-rail1", 800, 400, "2.00:1", 1, 2),
        ("su2-rail0", 800, 400, "2.00:1", 1, 2),
        ("su2-rail1", 800, 400, "2.00:1", 1, 2),
    )
    rows = {item: value for item, value, _ in capacity(demo, down).rows}
    assert (rows["uplinks in use"], rows["bisection, one way"]) == ("3 of 8", "400 Gb/s")
    assert {row[2:] for row in paths(demo, "", down).rows} == {(3, 0, 0, 0, 0), (3, 2, 1, 1, 1)}
    assert run("show", "capacity", DEMO, "--leaves", "--fail", "switch:spine01").code == 0
    assert run("show", "paths", DEMO, "--fail", "switch:x").code == 2


def test_failures_are_counted_while_they_are_judged() -> None:
    told: list[tuple[str, int, int]] = []
    with watched(lambda *words: told.append(words)):
        ranking = singles(Project(DEMO))
    counts = [(done, total) for what, done, total in told if what == "failures"]
    assert counts[0] == (0, ranking.failures)
    assert counts[-1] == (ranking.failures, ranking.failures)
    assert [done for done, _ in counts] == sorted({done for done, _ in counts})
    assert len(counts) == 4, "switches, cables, NICs"


def test_a_ranking_says_which_pairs_it_counts(demo: Project) -> None:
    tenants = Project(ROOT / "inventory" / "tenants")
    counted = [singles(project, links=False).as_dict()["counted"] for project in (demo, tenants)]
    assert counted[0] == ""
    assert counted[1].startswith("host_pairs counts all pairs of hosts, whatever their tenant")


@pytest.mark.parametrize(
    ("after", "before", "text"),
    [
        pytest.param(62, 64, "96.9 %", id="rounded"),
        pytest.param(99_999, 100_000, "99.9 %", id="not all"),
        pytest.param(8, 8, "100 %", id="all"),
        pytest.param(7, 8, "87.5 %", id="exact"),
        pytest.param(0, 8, "0 %", id="nothing"),
        pytest.param(0, 0, "-", id="nothing to lose"),
    ],
)
def test_how_much_is_left(after: float, before: float, text: str) -> None:
    assert percent_left(after, before) == text


@pytest.mark.parametrize(
    ("failed", "new"),
    {"east-spine01": ["fabric.spines"], "rack1-leaf": [], "core01": []}.items(),
)
def test_spines_that_were_oversubscribed_are_not_new(failed: str, new: list[str]) -> None:
    """Another spine is the example then; leaves that become so are a finding of their own."""
    result = whatif(Project(ROOT / "inventory" / "three-tier"), [failed])
    assert [one.field for one in result.new_findings] == new
    assert [one.field for one in result.changed_findings] == ["fabric.super_spines"]


def test_a_finding_with_other_values_is_not_new() -> None:
    result = whatif(Project(ROOT / "inventory" / "explicit"), ["switch:core-w"])
    assert [one.rule for one in result.new_findings] == ["TOP014"]
    assert [one.rule for one in result.changed_findings] == ["QOS029", "QOS029"]
    assert [one["rule"] for one in result.as_dict()["changed_findings"]] == ["QOS029", "QOS029"]
