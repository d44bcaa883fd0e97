"""adopt: planted policies come back, deviating devices stand apart, and no text is a crash."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from fabric.audit.adoption.differences import Difference
from fabric.core.errors import FabricError, InputError
from fabric.intent.policy import LosslessPolicy, merge
from fabric.workflow.adopt import Adopted, adopt
from fabric.workflow.adopt_files import DEVICES, HOSTS, with_files, write
from fabric.workflow.adopt_reading import Read, from_devices, from_files
from fabric.workflow.adopt_report import describe
from fabric.workflow.configurations import whole
from fabric.workflow.project import Project
from fabric.workflow.stages import rendered_switch
from tests.audit.test_damage import WORDS
from tests.audit.test_hosts_lab import save
from tests.cases import examples
from tests.change import labs
from tests.cli.runs import run
from tests.prove.test_damage import PIECES
from tests.topology.fabrics import INVENTORY, document

#: Policies, and the switches whose files do not tell all of them.
PLANTED: dict[str, tuple[dict[str, Any], set[str]]] = {
    "dscp": ({"roce_dscp": 24, "cnp_dscp": 46}, set()),
    "thresholds": ({"ecn": {"kmin_bytes": 2_250_000, "kmax_bytes": 4_500_000}}, set()),
    "chance": ({"ecn": {"pmax_percent": 20}}, set()),
    "shares": ({"scheduler": {"lossless_percent": 70, "default_percent": 30}}, set()),
    # a watchdog that no line of VRP8 switches off
    "no watchdog": ({"watchdog": {"enabled": False}}, {"vrp8-leaf"}),
    "times": ({"watchdog": {"detection_ms": 400, "restoration_ms": 400}}, set()),
    "poll": (
        {"watchdog": {"detection_ms": 1000, "restoration_ms": 1000, "poll_ms": 500}},
        set(),
    ),
    "action": ({"watchdog": {"action": "alert"}}, set()),
    "no pfc": ({"pfc": False}, set()),
    "cnp": ({"cnp_traffic_class": 5, "cnp_queue": 5}, set()),
    "mtu": ({"mtu": {"port_bytes": 9000}}, set()),
    "priority": (
        {"pfc_priority": 4, "traffic_class": 4, "queue": 4, "priority_group": 4},
        set(),
    ),
}

SYSTEMS = ["sonic", "cumulus", "eos", "nxos", "junos", "vrp8", "comware7", "esonic"]


@cache
def mixed() -> Project:
    return Project(INVENTORY / "mixed")


def planted(project: Project, change: Mapping[str, Any]) -> dict[str, str]:
    """Return the configurations of another policy, of each switch that can have it."""
    file = project.intent.fabric
    lossless = merge(file.lossless, LosslessPolicy.model_validate(change))
    changed = file.model_copy(update={"lossless": lossless})
    return rendered(project.of(replace(project.intent, fabric=changed)))


def rendered(project: Project) -> dict[str, str]:
    result = {}
    for name, design in project.devices.items():
        try:
            result[name] = whole(rendered_switch(design)).text
        except FabricError:
            continue
    return result


def saved(folder: Path, texts: Mapping[str, str]) -> Path:
    for name, text in texts.items():
        ending = "json" if text.startswith("{") else "cfg"
        (folder / f"{name}.{ending}").write_text(text, encoding="utf-8")
    return folder


def adopted(folder: Path, texts: Mapping[str, str], project: Project | None = None) -> Adopted:
    own = project or mixed()
    return adopt(own, from_files(own, saved(folder, texts)))


@pytest.mark.parametrize("name", PLANTED)
def test_a_policy_comes_back(name: str, tmp_path: Path) -> None:
    change, silent = PLANTED[name]
    texts = planted(mixed(), change)
    outcome = adopted(tmp_path, texts)
    again = rendered(with_files(mixed(), outcome.files))
    different = {one for one, text in texts.items() if again.get(one) != text}
    assert different == silent & texts.keys()
    assert set(outcome.remaining) <= silent


def test_times_that_need_their_poll_interval_pass_the_check(tmp_path: Path) -> None:
    """QOS014: a detection of 200 ms does not go with the interval of the inventory."""
    project = Project(INVENTORY / "demo")
    times = {"detection_ms": 200, "restoration_ms": 200, "poll_ms": 100}
    outcome = adopted(tmp_path, planted(project, {"watchdog": times}), project)
    assert (outcome.errors, outcome.remaining) == ([], {})
    assert "poll_ms: 100" in outcome.files[DEVICES]


@pytest.mark.parametrize(
    ("read", "words"),
    [
        (["su1-rail0"], ["not read: spines (spine[01-02]); from leaves: roce_dscp"]),
        (["spine01"], ["not read: leaves (su[1-2]-rail[0-1]); from spines: roce_dscp"]),
        (["su1-rail0", "spine01"], []),
    ],
    ids=["leaves alone", "spines alone", "both"],
)
def test_values_of_another_role_are_said(tmp_path: Path, read: list[str], words: list[str]) -> None:
    project = Project(INVENTORY / "demo")
    texts = planted(project, {"roce_dscp": 24})
    outcome = adopted(tmp_path, {name: texts[name] for name in read}, project)
    assert [str(one) for one in outcome.borrowed] == words
    lines = describe(outcome, Read()).splitlines()
    assert [line for line in lines if line.startswith("warning: ")] == [
        f"warning: {line}" for line in words
    ]
    [unread] = [line for line in lines if line.startswith("Not read")]
    assert not any(name in unread for one in outcome.borrowed for name in one.names)


@pytest.mark.parametrize("system", SYSTEMS)
def test_each_system_by_its_own_file(system: str, tmp_path: Path) -> None:
    change = PLANTED["thresholds"][0] | PLANTED["dscp"][0] | PLANTED["shares"][0]
    name = f"{system}-leaf"
    texts = planted(mixed(), change)
    outcome = adopted(tmp_path, {name: texts[name]})
    again = rendered(with_files(mixed(), outcome.files))
    assert again[name] == texts[name]
    assert outcome.remaining == {}


def test_what_runs_as_planned_needs_no_file(tmp_path: Path) -> None:
    outcome = adopted(tmp_path, rendered(mixed()))
    assert (outcome.files, outcome.remaining, outcome.reasons["sonic-leaf"]) == ({}, {}, {})


def test_devices_that_differ_stand_apart(tmp_path: Path) -> None:
    texts = planted(mixed(), PLANTED["dscp"][0])
    for name in ("eos-leaf", "vrp8-leaf"):
        texts[name] = planted(mixed(), PLANTED["thresholds"][0])[name]
    outcome = adopted(tmp_path, texts)
    first, second, *_ = outcome.groups
    assert first.size > second.size
    assert second.names == "eos-leaf,vrp8-leaf"
    assert second.own == {
        "roce_dscp": 26,
        "cnp_dscp": 48,
        "ecn.kmin_bytes": 2_250_000,
        "ecn.kmax_bytes": 4_500_000,
    }
    assert rendered(with_files(mixed(), outcome.files)) == texts
    # hosts follow the leaf that they are plugged into
    assert "gpu[1-2,4-5,7-8]" in outcome.files[HOSTS]


def test_a_port_that_differs_would_change(tmp_path: Path) -> None:
    texts = rendered(mixed())
    database = json.loads(texts["sonic-leaf"])
    database["PORT_QOS_MAP"]["Ethernet0"]["pfc_enable"] = "3,4"
    texts["sonic-leaf"] = json.dumps(database, indent=1)
    outcome = adopted(tmp_path, texts)
    (rest,) = outcome.remaining["sonic-leaf"]
    assert rest == ("pfc_priority", "3, 4", "3", ("Ethernet0",))


def test_what_the_policy_cannot_hold_is_named(tmp_path: Path) -> None:
    texts = rendered(mixed())
    texts["eos-leaf"] = re.sub(r".*random-detect ecn.*\n", "", texts["eos-leaf"])
    texts["eos-leaf"] = texts["eos-leaf"].replace("watchdog action drop", "watchdog action err\x7f")
    outcome = adopted(tmp_path, texts)
    assert outcome.reasons["eos-leaf"] == {
        "ecn": "the policy always marks ECN",
        "watchdog.action": "the policy has no action err\\x7f",
    }
    assert {one.field for one in outcome.remaining["eos-leaf"]} == {"ecn", "watchdog.action"}


def test_another_pause_threshold_of_the_pool_is_named(tmp_path: Path) -> None:
    texts = rendered(mixed())
    texts["sonic-leaf"] = re.sub(r'(?<="dynamic_th": )"\S+"', '"3"', texts["sonic-leaf"])
    outcome = adopted(tmp_path, texts)
    (rest,) = outcome.remaining["sonic-leaf"]
    assert (rest.field, rest.running) == ("dynamic_th", "3")
    assert "set lossless.dynamic_th" in outcome.reasons["sonic-leaf"]["dynamic_th"]
    assert outcome.files == {}


def test_a_system_that_rejects_the_default_policy_is_read(tmp_path: Path) -> None:
    """As after an import: the inventory has the default policy, which NX-OS rejects."""
    folder = copy_of_mixed(tmp_path / "bare")
    file = folder / "devices" / "systems.yaml"
    file.write_text(file.read_text().partition("    lossless: {cnp_queue: 7")[0])
    outcome = adopted(tmp_path, rendered(mixed()), Project(folder))
    assert (
        "names: nxos-leaf\n  lossless: {cnp_traffic_class: 7, cnp_queue: 7}"
        in outcome.files[DEVICES]
    )
    # its switched port alone has the MTU that it needs
    assert outcome.failure.startswith(f"{folder / 'fabric.yaml'}:")
    assert "nxos-leaf: mtu.port_bytes 9100 is rejected" in outcome.failure
    text = describe(outcome, Read())
    assert text.startswith("Some switches cannot be rendered with these files, so they are not")
    assert "No field that is read would still change on the switches that can be rendered." in text
    assert run("adopt", folder, tmp_path).code == 4


def test_a_fabric_of_such_a_system_comes_back(tmp_path: Path) -> None:
    model = {"sku": "N9K-C9332D-GX2B"}
    needs = {"cnp_queue": 7, "cnp_traffic_class": 7, "mtu": {"port_bytes": 9216}}
    common = {"platforms": {"leaf": model, "spine": dict(model)}, "arp": {"mac_ageing_s": 1800}}
    own, bare = (
        Project(inventory(tmp_path / name, document(**common, **more)))
        for name, more in (("own", {"lossless": needs}), ("bare", {}))
    )
    texts = rendered(own)
    outcome = adopted(tmp_path, texts, bare)
    assert (outcome.failure, outcome.remaining, len(texts)) == ("", {}, 6)
    assert rendered(with_files(bare, outcome.files)) == texts


def inventory(folder: Path, data: dict[str, Any]) -> Path:
    folder.mkdir()
    (folder / "fabric.yaml").write_text(yaml.safe_dump(data))
    return folder


def test_unknown_stays_unknown(tmp_path: Path) -> None:
    outcome = adopted(tmp_path, rendered(mixed()))
    assert outcome.unknown["watchdog.poll_ms"] == ["comware7", "nxos", "vrp8"]
    assert outcome.unknown["mtu.host_bytes"] == sorted({
        design.platform for design in mixed().devices.values()
    })
    assert "ecn.kmin_bytes" not in outcome.unknown
    assert outcome.unread == [f"gpu{number}" for number in range(1, 9)]


def test_what_follows_the_priority_is_adopted(tmp_path: Path) -> None:
    outcome = adopted(tmp_path, planted(mixed(), PLANTED["priority"][0]))
    assert "priority_group: 4" in outcome.files[DEVICES]
    assert "priority_group" not in outcome.unknown


def copy_of_mixed(folder: Path) -> Path:
    for file in (INVENTORY / "mixed").rglob("*.yaml"):
        target = folder / file.relative_to(INVENTORY / "mixed")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(file.read_text())
    return folder


@pytest.mark.parametrize("is_here", [False, True])
def test_the_command_writes_what_it_shows(
    is_here: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inventory = copy_of_mixed(tmp_path / "inventory")
    monkeypatch.chdir(inventory)
    inventory = Path() if is_here else inventory
    (tmp_path / "saved").mkdir()
    folder = saved(tmp_path / "saved", planted(mixed(), PLANTED["dscp"][0]))
    dry = run("adopt", str(inventory), str(folder))
    assert dry.code == 0, dry.said
    assert not (inventory / DEVICES).exists()
    before = (inventory / "fabric.yaml").read_bytes()
    assert run("adopt", str(inventory), str(folder), "--commit").code == 0
    assert (inventory / "fabric.yaml").read_bytes() == before
    for path in (DEVICES, HOSTS):
        shown = "".join(f"    {line}\n" for line in (inventory / path).read_text().splitlines())
        assert shown in dry.out
    assert run("check", str(inventory)).code == 0
    again = run("adopt", str(inventory), str(folder), "--format", "json")
    assert json.loads(again.out)["files"][DEVICES] == (inventory / DEVICES).read_text()
    (tmp_path / "usual").mkdir()
    usual = saved(tmp_path / "usual", rendered(mixed()))
    assert run("adopt", str(inventory), str(usual), "--commit").code == 0
    assert not (inventory / DEVICES).exists()


#: Texts of a system, what runs in place of each, and the shares that come of it.
WEIGHTS: dict[str, tuple[dict[str, str], tuple[int, int]]] = {
    "sonic": ({r'(scheduler.1[^}]*"weight": )"50"': r'\1"15"',
               r'(scheduler.0[^}]*"weight": )"50"': r'\1"14"'}, (52, 48)),
    "junos": ({r"(schedulers LOSSLESS transmit-rate percent) 45": r"\1 60",
               r"(schedulers DEFAULT transmit-rate percent) 45": r"\1 20"}, (75, 25)),
}  # fmt: skip


@pytest.mark.parametrize("system", WEIGHTS)
def test_shares_sum_to_a_whole(system: str, tmp_path: Path) -> None:
    """Weights that sum to anything come back in proportion, and are listed as a change."""
    name, (changes, shares) = f"{system}-leaf", WEIGHTS[system]
    text = rendered(mixed())[name]
    for before, after in changes.items():
        text, count = re.subn(before, after, text)
        assert count == 1
    outcome = adopted(tmp_path, {name: text})
    groups = yaml.safe_load(outcome.files[DEVICES])["devices"]
    schedulers = [tuple(one["lossless"]["scheduler"].values()) for one in groups]
    assert schedulers[0] == shares
    assert outcome.errors == []
    fields = {one.field for one in outcome.remaining[name]}
    assert {"scheduler.lossless_percent", "scheduler.default_percent"} <= fields
    change = describe(outcome, Read()).split("Would still change:")[1]
    assert "percents that sum to 100" in change


#: The line of a system that leads the DSCP of data to its class, and what runs in its place.
NOWHERE = {
    "sonic": (r'"26": "3"', '"26": "0"'),
    "esonic": (r"dscp 26 traffic-class 3", "dscp 26 traffic-class 0"),
    "eos": (r"map dscp 26 to traffic-class 3", "map dscp 26 to traffic-class 0"),
    "comware7": (r"import 26 export 3", "import 26 export 0"),
    "vrp8": (r"ip-dscp-inbound 26 phb af3", "ip-dscp-inbound 26 phb be"),
}


@pytest.mark.parametrize("system", NOWHERE)
def test_a_dscp_map_that_does_not_lead_to_the_class_is_named(system: str, tmp_path: Path) -> None:
    name, (line, other) = f"{system}-leaf", NOWHERE[system]
    text, count = re.subn(line, other, rendered(mixed())[name])
    assert count
    outcome = adopted(tmp_path, {name: text})
    remaining = {(one.field, one.running, one.adopted) for one in outcome.remaining[name]}
    assert ("roce_dscp", "none", "26") in remaining


def test_like_changes_are_shown_once_after_those_of_few(tmp_path: Path) -> None:
    def change(number: int, running: str) -> Difference:
        return Difference("mtu.port_bytes", running, "9,000", (f"swp{number}", "swp9"))

    remaining = {f"leaf{number}": [change(number, "9,100")] for number in range(1, 5)}
    remaining["leaf3"].append(change(3, "8,000"))
    outcome = replace(
        adopted(tmp_path, {"spine01": rendered(mixed())["spine01"]}),
        remaining=remaining,
        reasons={name: {"mtu.port_bytes": f"{name} has two"} for name in remaining},
    )
    lines = describe(outcome, Read()).partition("Would still change:\n")[2].partition("\n\n")[0]
    assert lines.splitlines() == [
        "  leaf3 swp3 and 1 more port: mtu.port_bytes: runs 8,000, becomes 9,000; leaf3 has two",
        "  leaf1 swp1 and 1 more port: mtu.port_bytes: runs 9,100, becomes 9,000; leaf1 has two",
        "    3 more that differ in names and numbers alone; all are on leaf[1-4]",
        "  5 findings in 2 groups of similar ones; `--format json` lists each",
    ]


def test_an_adoption_that_check_rejects_is_said_first(tmp_path: Path) -> None:
    inventory = copy_of_mixed(tmp_path / "inventory")
    later = "devices: [{names: spine01, lossless: {scheduler: {default_percent: 40}}}]\n"
    (inventory / "devices" / "z.yaml").write_text(later)
    (tmp_path / "saved").mkdir()
    folder = saved(tmp_path / "saved", planted(mixed(), PLANTED["dscp"][0]))
    ended = run("adopt", str(inventory), str(folder))
    assert ended.code == 4
    assert ended.out.startswith("`rocefab check` finds 1 error")
    assert re.search(r"reject it:\n    \S+\.yaml:\d+:\d+: .* \[QOS\d+\]\n", ended.out)


def test_a_file_of_the_user_is_not_replaced(tmp_path: Path) -> None:
    inventory = copy_of_mixed(tmp_path / "inventory")
    own = "devices: [{names: spine01, lossless: {roce_dscp: 30}}]\n"
    (inventory / DEVICES).write_text(own)
    (tmp_path / "saved").mkdir()
    folder = saved(tmp_path / "saved", planted(mixed(), PLANTED["dscp"][0]))
    ended = run("adopt", str(inventory), str(folder), "--commit")
    assert ended.code == 2
    assert f"{DEVICES}: this file was not written by `rocefab adopt`" in ended.err
    assert (inventory / DEVICES).read_text() == own


def test_a_later_file_that_takes_precedence_is_named(tmp_path: Path) -> None:
    inventory = copy_of_mixed(tmp_path / "inventory")
    later = inventory / "devices" / "z.yaml"
    later.write_text("devices: [{names: spine01, lossless: {roce_dscp: 30}}]\n")
    (tmp_path / "saved").mkdir()
    folder = saved(tmp_path / "saved", planted(mixed(), PLANTED["dscp"][0]))
    ended = run("adopt", str(inventory), str(folder))
    line = next(one for one in ended.out.splitlines() if "spine01" in one and "runs 24" in one)
    assert re.search(r"becomes 30; .*devices/z.yaml:1:\d+ takes precedence", line)


@pytest.mark.parametrize(
    "words", [(), ("saved", "--running"), ("nowhere",), ("empty",), ("strange",)]
)
def test_what_cannot_be_adopted(words: tuple[str, ...], tmp_path: Path) -> None:
    for name in ("empty", "strange"):
        (tmp_path / name).mkdir()
    saved(tmp_path / "strange", {"\x1b[31mevil": rendered(mixed())["eos-leaf"]})
    text = (tmp_path / "strange" / "\x1b[31mevil.cfg").read_text()
    (tmp_path / "strange" / "\x1b[31mevil.cfg").write_text(text.replace("eos-leaf", "nobody"))
    places = [word if word.startswith("--") else str(tmp_path / word) for word in words]
    ended = run("adopt", str(INVENTORY / "mixed"), *places)
    assert ended.code == 2, ended.said
    assert "\x1b" not in ended.said
    assert "Traceback" not in ended.said


def test_what_render_wrote_for_hosts_is_one_line_and_many_strange_files_few(tmp_path: Path) -> None:
    """Marks of switches are no configurations."""
    out = tmp_path / "out"
    assert run("render", INVENTORY / "tenants", "--out", out).code == 0
    for number in range(8):
        (out / f"note{number}.conf").write_text("remember the milk\n", encoding="utf-8")
    read = from_files(Project(INVENTORY / "tenants"), out).warnings
    hosts, *strange, more = read
    assert hosts.startswith(f"{out}/manifest.json: ")
    assert hosts.endswith(" files that `rocefab render` wrote for hosts are not read")
    assert strange == [f"{out}/note{n}.conf: no system recognises this file" for n in range(5)]
    assert more == "3 more files that no system recognises"


def test_files_that_do_not_belong_are_named(tmp_path: Path) -> None:
    texts = rendered(mixed())
    eos = texts["eos-leaf"].replace("hostname eos-leaf", "hostname sonic-leaf")
    read = from_files(mixed(), saved(tmp_path, {"a": eos, "sonic-leaf": texts["sonic-leaf"]}))
    assert list(read.devices) == ["sonic-leaf"]
    (warning,) = read.warnings
    assert "a.cfg: sonic-leaf: the file is of eos, the inventory has sonic" in warning


@pytest.mark.parametrize("system", SYSTEMS)
@examples(8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_file_is_no_crash(system: str, tmp_path: Path, data: st.DataObject) -> None:
    name = f"{system}-leaf"
    text = planted(mixed(), PLANTED["dscp"][0])[name]
    for _ in range(data.draw(st.integers(1, 4))):
        line = data.draw(st.sampled_from(list(WORDS.finditer(text)) or [re.match("", text)]))
        assert line
        start = data.draw(st.integers(line.start(), line.end()))
        stop = data.draw(st.integers(start, min(len(text), start + 12)))
        text = text[:start] + data.draw(st.sampled_from(PIECES)) + text[stop:]
    try:
        outcome = adopted(tmp_path, {name: text})
    except InputError as error:
        assert error.findings
        return
    assert with_files(mixed(), outcome.files).devices


def test_a_lab_that_runs_another_policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with labs.running_lab(tmp_path, monkeypatch) as (lab, project, connections):
        plan_file = tmp_path / "plan.json"
        folder = project.intent.folder
        words = ("--connections", str(connections))
        assert run("plan", folder, *words, "--out", str(plan_file)).code in (0, 5)
        assert run("apply", str(plan_file), *words, "--commit", "--reason", "test").code == 0
        other = labs.changed(Path(folder), "lossless:\n", "lossless:\n  roce_dscp: 30\n")
        read = from_devices(other, connections, labs.silent)
        outcome = adopt(other, read)
        assert read.failed == {}
        assert outcome.unread == []
        write(Path(folder), outcome.files)
        assert "roce_dscp: 26" in outcome.files[DEVICES]
        assert "roce_dscp: 26" in outcome.files[HOSTS]
        assert run("drift", folder, *words).code == 0
        for name, design in project.hosts.items():
            save(tmp_path / "saved" / name, lab[name], design)
        by_files = adopt(other, from_files(other, tmp_path / "saved"))
        assert by_files.files == outcome.files  # the switches take the value of the hosts
        assert by_files.unread == [*project.devices]


def test_a_device_that_does_not_answer_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with labs.running_lab(tmp_path, monkeypatch) as (_, project, connections):
        reachable = json.loads(connections.read_text())
        text = connections.read_text()
        assert reachable
        port = re.search(r'"port": (\d+)', text)
        assert port
        connections.write_text(text.replace(port[0], '"port": 1', 1))
        words = ("--running", "--connections", str(connections))
        ended = run("adopt", project.intent.folder, *words)
    assert ended.code == 3
    assert " failed: " in ended.out


def test_an_empty_reading_is_an_error() -> None:
    with pytest.raises(InputError, match="nothing was adopted"):
        adopt(mixed(), Read())
