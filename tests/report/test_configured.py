"""Values that a switch does not get: every view says so, with the rule, and never a figure."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import yaml

from fabric.cli import main
from fabric.platforms.features import declared
from fabric.render.explain import entries
from fabric.render.registry import render_device
from fabric.report.dcqcn import kinds
from fabric.report.device import planned
from fabric.report.simulation import fabric_runs
from fabric.report.simulation_settings import Load, Settings
from fabric.workflow.check import check
from fabric.workflow.project import Project
from tests.report.diffs import compared

if TYPE_CHECKING:
    from collections.abc import Callable

INVENTORY = Path(__file__).parents[2] / "inventory" / "a100-pcie" / "fabric.yaml"
#: What each system needs beside its model.
NXOS = {"cnp_queue": 7, "cnp_traffic_class": 7, "mtu": {"port_bytes": 9216}}
BUFFER = {"pause_threshold_bytes": 1_600_000, "resume_threshold_bytes": 1_500_000}


class Case(NamedTuple):
    """A switch model with changes of the policy; what is said of Pmax and of the headroom."""

    model: str
    lossless: dict[str, Any]
    pmax: str
    headroom: str
    rule: str
    kept: str = ""


CASES = {
    "Comware 7": Case(
        "S9820-64H",
        {},
        "not configured (CMW005)",
        " (estimate); not configured (CMW006)",
        "CMW006",
        "nothing is rendered: whether the default of the model covers the cables is not known",
    ),
    "NX-OS": Case(
        "N9K-C9332D-GX2B",
        NXOS,
        "100 %",
        " (estimate); not configured (QOS050)",
        "QOS050",
        "nothing is rendered: the switch sizes headroom automatically",
    ),
    "NX-OS with a pause buffer": Case(
        "N9K-C9332D-GX2B",
        NXOS | {"pause_buffer": BUFFER | {"buffer_bytes": 3_000_000}},
        "100 %",
        "",
        "QOS021",
    ),
    "VRP8, family a": Case(
        "CE8851-32CQ8DQ-P",
        {"ecn": {"kmin_bytes": 63_999, "kmax_bytes": 127_999}},
        "100 %",
        " (estimate); not configured (QOS050)",
        "QOS050",
        "nothing is rendered: no command of these models sets headroom of a port",
    ),
    "VRP8, family b": Case(
        "CE8855-32CQ4BQ", {}, "100 %", " (estimate)", "QOS050", "a port keeps 256 kbytes"
    ),
    "EOS": Case("7050DX4-32S", {}, "100 %", " (estimate); not configured (QOS050)", "QOS050"),
    "SONiC": Case("ACS-SN5600", {}, "100 %", "", "QOS021"),
}


def written(folder: Path, model: str, lossless: dict[str, Any]) -> Path:
    """Return the smallest example with one switch model and another policy."""
    data = yaml.safe_load(INVENTORY.read_text())
    data["platforms"] = {role: {"sku": model} for role in ("leaf", "spine")}
    data["speeds"]["uplink_gbps"] = 400 if model in {"7050DX4-32S", "ACS-SN5600"} else 100
    data["lossless"] |= lossless
    folder.mkdir(exist_ok=True)
    (folder / "fabric.yaml").write_text(yaml.safe_dump(data, sort_keys=False))
    return folder


@pytest.fixture
def rows(capsys: pytest.CaptureFixture[str]) -> Callable[..., list[dict[str, Any]]]:
    def run(*words: str) -> list[dict[str, Any]]:
        assert main([*words, "--format", "json"]) == 0
        return json.loads(capsys.readouterr().out)  # type: ignore[no-any-return]

    return run


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_every_view_says_what_the_switch_gets(
    tmp_path: Path, rows: Callable[..., list[dict[str, Any]]], case: Case
) -> None:
    folder = str(written(tmp_path, case.model, case.lossless))
    mine = Project(tmp_path)
    host, leaf = next(iter(mine.hosts.values())), next(iter(mine.devices.values()))
    is_told = case.pmax == "100 %"

    nic = host.nics[0].interface
    cable = {row["item"]: row for row in rows("show", "cable", folder, host.name, nic)}
    size = case.headroom and r"\d+ bytes" + re.escape(case.headroom)
    room = cable["headroom of the switch"]
    assert re.fullmatch(size or r"\d+ bytes", room["switch"])
    assert (room["verdict"], room["rule"]) == ("note" if case.headroom else "ok", case.rule)
    assert case.kept in room["note"]
    assert cable["ECN"]["verdict"] == ("ok" if is_told else "note")
    assert case.pmax in cable["ECN"]["note"]

    device = planned(mine, leaf.name)
    assert device
    assert dict(device.policy)["ECN"].endswith(f"bytes, Pmax {case.pmax}")
    shown = device.ports[0]
    note = f"{' (estimate)' * shown.headroom_is_estimate}; {shown.headroom_lack}".rstrip("; ")
    assert note == case.headroom

    ecn = rows("show", "ecn", folder)[0]
    assert str(ecn["pmax_percent"]) == case.pmax.removesuffix(" %")
    assert kinds(mine)[0].marking.endswith(case.pmax)
    budget = {
        (row["part"], row["item"]): row
        for row in rows("explain", folder, leaf.name, leaf.ports[0].name)
    }
    assert budget["ecn", "Kmax"]["how"].endswith(f"Pmax {case.pmax}")
    verdict = budget["headroom", "verdict"]["value"]
    assert verdict.endswith(case.headroom.partition(" (estimate); ")[2])
    assert ("estimated" in verdict) is bool(case.headroom)
    assert any(one.rule == "QOS050" for one in check(mine).findings) is bool(case.headroom)


def test_what_is_computed_with_pmax_says_that_it_is_assumed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """QOS036 does not judge it, and a change of it is no difference."""
    ecn = {"kmin_bytes": 150_000, "kmax_bytes": 1_500_000, "pmax_percent": 1}
    folder = written(tmp_path / "one", "S9820-64H", {"ecn": ecn})
    assert main(["show", "dcqcn", str(folder)]) == 0
    hint = "The switches of host and uplink ports get no Pmax (CMW005). Their rows are computed"
    assert f"{hint} with 1 %" in capsys.readouterr().err

    mine = Project(folder)
    host = next(iter(mine.hosts.values()))
    load = Load(senders=2, pool_bytes=32 << 20, duration_us=200.0, runs=1)
    where = f"{host.name}:{host.nics[0].interface}"
    runs = fabric_runs(mine, (where,), load, [Settings()], lambda _: None, far=False)
    (run,) = next(iter(runs.values()))
    assumed = "Pmax 1 % assumed: S9820-64H gets no Pmax (CMW005)"
    assert assumed in run.outcome.scenario.assumed

    assert "QOS036" not in {one.rule for one in check(mine).findings}
    other = written(tmp_path / "other", "S9820-64H", {"ecn": ecn | {"pmax_percent": 100}})
    assert not [one for one in compared(folder, other).figures if "pmax" in one.figure]


#: Fields of the policy whose absence from a configuration a limit reports.
FIELDS = ("lossless.ecn.kmin_bytes", "lossless.ecn.kmax_bytes", "lossless.ecn.pmax_percent")


def test_a_field_without_effect_decides_no_line() -> None:
    """What the limits of a system say of its marking is what its templates do."""
    wrong = []
    for system, features in declared().items():
        decided = {field for entry in entries(system) for field in entry.fields}
        limits = [limit for rule in features.rules for limit in rule.limits if limit.written]
        for field in FIELDS if decided else ():
            is_ignored = any(field in limit.fields for limit in limits)
            if is_ignored is (field in decided):
                wrong.append((system, field))
    assert not wrong


@pytest.mark.parametrize(
    ("size", "headroom"),
    [({"buffer_bytes": 3_000_000}, 1_400_000), ({}, None), ({"buffer_bytes": 1_700_000}, 100_000)],
    ids=["set", "for the longest cable", "small"],
)
def test_a_pause_buffer_is_the_headroom_of_its_ports(
    tmp_path: Path, size: dict[str, int], headroom: int | None
) -> None:
    """What is rendered above the threshold is what every port has."""
    policy = NXOS | {"pause_buffer": BUFFER | size}
    mine = Project(written(tmp_path, "N9K-C9332D-GX2B", policy))
    leaf = next(iter(mine.devices.values()))
    groups = leaf.headroom_profiles
    text = "".join(one.content.decode() for one in render_device(leaf))
    rendered = re.search(r"pause buffer-size (\d+) pause-threshold (\d+)", text)
    assert rendered
    room = int(rendered[1]) - int(rendered[2])
    assert room == (headroom or max(group.calculated_bytes or 0 for group in groups))
    assert {group.headroom_bytes for group in groups} == {room}
    assert not any(group.is_estimate for group in groups)
