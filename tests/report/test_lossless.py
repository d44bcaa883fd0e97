"""show ecn, dcqcn and deadlock from the command line, and what they ask the fabric for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from fabric.cli.app import app
from fabric.core.errors import InputError
from fabric.qos.deadlock import pairs as pairs_module
from fabric.report.dcqcn import kinds
from fabric.report.ecmp import ecmp
from fabric.report.lossless import cable, dcqcn_settings, deadlock, question
from fabric.workflow.project import Project

#: What no proof covers.
NIC = "not covered: the NIC must take what arrives while it may not send"
ROOT = Path(__file__).parents[2]
RUN = CliRunner()
#: Each spine its own AS, so that a leaf may carry traffic of the others; two uplinks are off.
BOUNCES = """\
devices:
  - {names: spine01, asn: 65001}
  - {names: spine02, asn: 65002}
  - {names: su1-rail0, ports: {Ethernet128: {enabled: false}}}
"""


DEMO = Path(__file__).parents[2] / "inventory" / "demo"


def _demo(folder: Path, devices: str = "", **changes: object) -> Path:
    data = yaml.safe_load((ROOT / "inventory" / "demo" / "fabric.yaml").read_text())
    data.update(changes)
    (folder / "fabric.yaml").write_text(yaml.safe_dump(data))
    if devices:
        (folder / "devices").mkdir()
        (folder / "devices" / "x.yaml").write_text(devices)
    return folder


@pytest.mark.parametrize("words", [("dcqcn",), ("ecn", "--recommend")], ids=" ".join)
def test_nics_that_are_taken_as_connectx_are_named(words: tuple[str, ...], tmp_path: Path) -> None:
    """What is shown for them is computed with a model of other NICs."""
    host = yaml.safe_load((DEMO / "fabric.yaml").read_text())["host"]
    pollara = {"vendor": "amd", "driver": "ionic", "model": "Pollara 400"}
    result = RUN.invoke(app, ["show", *words, str(_demo(tmp_path, host={**host, "nic": pollara}))])
    assert "NICs by amd is not modelled; they are taken as ConnectX" in result.stderr


def _cells(folder: Path) -> dict[str, list[object]]:
    results: dict[str, list[object]] = {}
    for item, value in deadlock(Project(folder)).rows:
        results.setdefault(str(item), []).append(value)
    return results


def test_a_fabric_that_cannot_wait_for_itself() -> None:
    """Both directions of 512 NIC cables and 512 uplinks; 512 uplinks and 24 switches may fail."""
    result = _cells(ROOT / "inventory" / "rail-512")
    assert result == {
        "answer": ["no cyclic buffer dependency"],
        "lossless buffers": [2048],
        "single failures checked": [536],
        "any failures together": ["no cycle: no switch accepts a path that turns up again"],
        "while BGP converges": ["no cycle and no loop, for the same reason"],
        "requests and responses in a NIC": [NIC],
    }


def test_two_failures_are_named(tmp_path: Path) -> None:
    result = _cells(_demo(tmp_path, "devices:\n  - {names: spine02, asn: 65200}\n"))
    assert result["answer"] == ["no cyclic buffer dependency"]
    (pair,) = result["pairs of failures"]
    assert str(pair).startswith("after su1-rail0 Ethernet128 to spine01 Ethernet1/1 and su1-rail1 ")
    assert result["while BGP converges"] == [
        "not covered: packets may loop until all switches agree"
    ]
    assert result["repair by bounces"] == [
        "1 lossless class: all traffic stays lossless after 14 of 14 single failures"
    ]


def test_pairs_of_failures_without_a_cycle(tmp_path: Path, monkeypatch) -> None:
    """With three spines of different AS numbers, no two failures take all common spines."""
    spines = "".join(f"  - {{names: spine0{n}, asn: {65200 + n}}}\n" for n in (1, 2, 3))
    changes = {"spines": {"count": 3, "links_per_leaf": 1}}
    folder = _demo(tmp_path, f"devices:\n{spines}", **changes)
    assert _cells(folder)["pairs of failures"] == ["no cycle in 171 of 171"]
    monkeypatch.setattr(pairs_module, "MOST_PAIRS", 60)
    assert _cells(folder)["pairs of failures"] == [
        "no cycle in 60 of 171; with 95 % confidence, fewer than 4.9 % of all close one"
    ]


def test_a_leaf_between_spines_is_named(tmp_path: Path) -> None:
    result = _cells(_demo(tmp_path, BOUNCES))
    assert "leaf between spines" in result or "waits for the next" in result


def test_the_loop_of_the_fabric() -> None:
    """Four hops of 1 us, 90 m at 5 ns both ways, four packets of 4,178 bytes and four of 84."""
    asked = question(Project(ROOT / "inventory" / "rail-512"), "paper")
    assert asked.parameters == "paper"
    assert asked.round_trip_s == pytest.approx(8e-6 + 900e-9 + 4 * (4178 + 84) / 50e9)


def test_no_path_without_a_nic(tmp_path: Path) -> None:
    project = Project(_demo(tmp_path))
    project.fabric.nics.enabled[:] = False
    with pytest.raises(InputError, match="every NIC in the inventory is disabled"):
        question(project, "paper")


@pytest.mark.parametrize(
    ("words", "column"),
    [
        (["ecn"], "xoff_threshold_bytes"),
        (["ecn", "--recommend", "--flows", "8"], "why"),
        (["dcqcn", "--set", "paper"], "verdict"),
        (["deadlock"], "value"),
    ],
)
def test_commands_as_text_and_as_json(words: list[str], column: str) -> None:
    folder = str(ROOT / "inventory" / "demo")
    text = RUN.invoke(app, ["show", *words, folder])
    assert text.exit_code == 0, text.output
    assert column in text.stdout.splitlines()[0]
    rows = json.loads(RUN.invoke(app, ["show", *words, folder, "--format", "json"]).stdout)
    assert all(column in row for row in rows)


def test_plot_of_dcqcn(tmp_path: Path) -> None:
    file = tmp_path / "queues.svg"
    folder = str(ROOT / "inventory" / "demo")
    assert RUN.invoke(app, ["show", "dcqcn", folder, "--plot", str(file)]).exit_code == 0
    assert file.read_text().lstrip().startswith("<?xml")


def test_an_unknown_set_is_named() -> None:
    answer = RUN.invoke(app, ["show", "dcqcn", str(ROOT / "inventory" / "demo"), "--set", "best"])
    assert isinstance(answer.exception, InputError)
    assert "unknown parameter set 'best'; available: paper, connectx" in str(answer.exception)


def test_settings_of_the_nic_with_those_of_the_switch() -> None:
    """ConnectX defaults come out as the defaults of mlxconfig."""
    project = Project(ROOT / "inventory" / "rail-512")
    table = dcqcn_settings(kinds(project), question(project, "connectx"), "mlxconfig")
    results = {name: value for _, _, name, value, _ in table.rows}
    assert results["ecn.kmin_bytes"] == 150_000
    assert results["RPG_TIME_RESET_P1"] == 300
    assert results["DCE_TCP_G_P1"] == 1019
    assert results["RPG_AI_RATE_P1"] == 5
    assert results["MIN_TIME_BETWEEN_CNPS_P1"] == 4


def test_a_set_that_does_not_fit_the_nic_is_refused() -> None:
    """The paper's byte counter of 10 MB is larger than the register."""
    project = Project(ROOT / "inventory" / "rail-512")
    with pytest.raises(InputError, match="the register holds"):
        dcqcn_settings(kinds(project), question(project, "paper"), "sysfs")


def test_our_set_comes_with_its_own_thresholds() -> None:
    project = Project(ROOT / "inventory" / "rail-512")
    table = dcqcn_settings(kinds(project), question(project, "rocefab"), "sysfs")
    results = {name: value for _, _, name, value, _ in table.rows}
    assert results["ecn.kmin_bytes"] == 463_000
    assert results["roce_rp/rpg_byte_reset"] == 0


def test_load_of_the_uplinks() -> None:
    """32 NICs on 32 uplinks: the exact law of 32 balls in 32 bins."""
    rows = {item: (value, how) for _, item, value, how in ecmp(_rail()).rows}
    assert rows["NICs and uplinks"][0] == "32 on 32"
    assert rows["efficiency, 1 queue pair"] == (
        "28%",
        "fullest link carries 3.53 times the mean on average",
    )
    assert rows["efficiency, 4 queue pairs"][1].endswith(", as set")
    assert rows["traffic over spines"][0] == "88%"
    assert rows["paths with one source port"][0] == "1"
    assert rows["uplinks of a leaf, one failed"][0] == "5,734 of 12,800 Gb/s"


def _rail() -> Project:
    return Project(ROOT / "inventory" / "rail-512")


def test_load_of_a_classic_fabric() -> None:
    rows = [row for row in ecmp(Project(ROOT / "inventory" / "a100-pcie")).rows if row[0] == "all"]
    assert ("all", "traffic over spines", "50%", "all-to-all, 2 hosts on a leaf") in rows


def test_both_ends_side_by_side():
    table = cable(Project(DEMO), "gpu003", "eth2")
    rows = {row[0]: dict(zip(table.headers, row, strict=True)) for row in table.rows}
    assert rows["peer"]["switch"] == "su2-rail1 Ethernet0"
    assert rows["vlan"]["switch"] == "access 102"
    assert rows["traffic class byte"]["host"] == "104"
    assert {row["verdict"] for row in rows.values()} == {"ok", "note"}


@pytest.mark.parametrize(
    ("host", "interface", "message"),
    [
        ("gpu009", "eth1", "host 'gpu009'"),
        ("gpu001", "eth0", "gpu001 has no fabric NIC 'eth0'"),
        ("su1-rail0", "Ethernet0", "host 'su1-rail0'"),
    ],
)
def test_what_is_not_there_is_named(host, interface, message):
    with pytest.raises(InputError) as caught:
        cable(Project(DEMO), host, interface)
    assert message in str(caught.value.findings[0])
