"""draw: files by their suffix, and the states that findings and cabling give to cables."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
import yaml

from fabric.core.errors import InputError
from fabric.core.findings import Severity
from fabric.report import picture_details
from fabric.report.picture import Marks, draw, failing_ends, read_cabling
from fabric.topology.cabling import CableVerdict, Judged
from fabric.topology.drawing import CableState
from fabric.workflow.cabling import Cabling
from fabric.workflow.project import Project
from tests.cli.runs import DEMO, run


@pytest.fixture(scope="module")
def demo() -> Project:
    return Project(DEMO)


def changed(folder: Path, kind: str, text: str) -> Project:
    data = yaml.safe_load((DEMO / "fabric.yaml").read_text())
    (folder / "fabric.yaml").write_text(yaml.safe_dump(data))
    (folder / kind).mkdir()
    (folder / kind / "x.yaml").write_text(f"{kind}:\n  - {text}\n")
    return Project(folder)


def report(folder: Path, *cables: tuple[str, str, str]) -> Path:
    file = folder / "cables.json"
    rows = [{"near": near, "far": far, "verdict": verdict} for near, far, verdict in cables]
    file.write_text(json.dumps({"cables": rows}))
    return file


@pytest.mark.parametrize(
    ("suffix", "start"), [(".svg", b"<svg"), (".html", b"<!doctype"), (".png", b"\x89PNG")]
)
def test_the_suffix_says_what_is_written(
    demo: Project, tmp_path: Path, suffix: str, start: bytes
) -> None:
    file = tmp_path / f"picture{suffix}"
    draw(demo, file, Marks())
    assert file.read_bytes().startswith(start)


def test_states_from_a_report_on_cables(demo: Project, tmp_path: Path) -> None:
    file = report(
        tmp_path,
        ("su1-rail0 Ethernet128", "spine01 Ethernet1/1", "swapped pair"),
        ("gpu001 eth2", "su1-rail1 Ethernet0", "missing"),
        ("gpu002 eth2", "su1-rail1 Ethernet8", "ok"),
        ("su2-rail0 Ethernet128", "spine01 Ethernet3/1", "unknown"),
        ("su2-rail1 Ethernet128", "su2-rail1 Ethernet240", "unexpected"),
    )
    marks = Marks()
    marks.add_cabling(read_cabling(file))
    totals = {total.state: total for total in draw(demo, tmp_path / "x.svg", marks).totals}
    assert {state: total.cables for state, total in totals.items()} == {
        CableState.PLANNED: 14,
        CableState.OVERSUBSCRIBED: 0,
        CableState.DOWN: 1,
        CableState.LOSSLESS: None,
        CableState.WRONG: 1,
    }
    assert totals[CableState.WRONG].words == "1 (12 not read)"


def test_what_nobody_looked_at_has_no_number(demo: Project, tmp_path: Path) -> None:
    file = tmp_path / "x.svg"
    totals = {total.state: total for total in draw(demo, file, Marks()).totals}
    assert totals[CableState.PLANNED].words == "16"
    assert totals[CableState.OVERSUBSCRIBED].words == "0"
    for state, words in (
        (CableState.DOWN, "not read"),
        (CableState.LOSSLESS, "not checked"),
        (CableState.WRONG, "not read"),
    ):
        assert (totals[state].cables, totals[state].words) == (None, words)
        assert f"{state.words}: {words}" in file.read_text()
    marks = Marks()
    marks.add_findings(set())
    draw(demo, file, marks)
    assert "fails a lossless rule: 0" in file.read_text()


def test_findings_of_all_alike_ports(demo: Project, tmp_path: Path) -> None:
    """QOS021 warns of host ports, of uplinks, and of one uplink with a cable of its own length."""
    assert failing_ends(demo) == set()
    warned = failing_ends(demo, Severity.WARNING)
    leaves = {name for name, device in demo.devices.items() if device.role == "leaf"}
    assert {device for device, _ in warned} == leaves
    assert len(warned) == 4 * 4


def test_a_port_with_pfc_off_fails_alone(tmp_path: Path) -> None:
    """One end pauses, the other does not: an error on the port that was set."""
    off = "{names: su1-rail0, ports: {Ethernet0: {lossless: {pfc: false}}}}"
    assert failing_ends(changed(tmp_path, "devices", off)) == {("su1-rail0", "Ethernet0")}


def test_findings_on_hosts_mark_their_leaf_ports(tmp_path: Path) -> None:
    project = changed(tmp_path, "hosts", "{names: gpu003, lossless: {roce_dscp: 30}}")
    ends = failing_ends(project)
    assert {("su2-rail0", "Ethernet0"), ("su2-rail1", "Ethernet0")} == ends


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "not JSON"),
        ('{"cables": 1}', "not a cabling report"),
        ('{"cables": [{"near": "a b", "far": "c d", "verdict": "good"}]}', "'good' is not a valid"),
        ('{"cables": [{"near": 1, "far": "c d", "verdict": "ok"}]}', "not a cabling report"),
        ("[]", "not a cabling report"),
        ("\xff", "not UTF-8 text"),
    ],
)
def test_a_report_that_is_none(tmp_path: Path, text: str, reason: str) -> None:
    file = tmp_path / "x.json"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match="x.json:1:") as caught:
        read_cabling(file)
    assert reason in str(caught.value.findings[0])
    assert str(caught.value.findings[0]).startswith(f"{file}:1:")


def test_files_that_cannot_be(demo: Project, tmp_path: Path, monkeypatch) -> None:
    with pytest.raises(InputError, match="unsupported format; use one of .svg, .png, .html"):
        draw(demo, tmp_path / "picture.pdf", Marks())
    (tmp_path / "x.svg").mkdir()
    with pytest.raises(InputError, match="is a directory"):
        draw(demo, tmp_path / "x.svg", Marks())
    with pytest.raises(InputError) as caught:
        read_cabling(tmp_path / "none.json")
    assert "no such file" in str(caught.value.findings[0])
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(InputError, match=r"rocefab\[plots\]"):
        draw(demo, tmp_path / "x.png", Marks())


def test_the_page_tells_ports_peers_and_policy(demo: Project, tmp_path: Path) -> None:
    file = tmp_path / "x.html"
    draw(demo, file, Marks(wrong={("su1-rail0", "Ethernet128")}))
    held = re.search(r'application/json">(.*?)</script>', file.read_text(), re.DOTALL)
    assert held
    reported = json.loads(held[1])
    leaf = reported["devices"]["su1-rail0"]
    assert ["rail", "0"] in leaf["facts"]
    assert ["Ethernet128", "spine01", "Ethernet1/1", "400G", "40 m", "wrong cable"] in leaf["ports"]
    assert ["Ethernet0", "gpu001", "eth1", "400G", "5 m", "planned"] in leaf["ports"]
    assert ["PFC", "priority 3"] in reported["policies"][leaf["policy"]]
    host = reported["devices"]["gpu001"]
    assert host["ports"][1] == ["eth2", "su1-rail1", "Ethernet0", "400G", "5 m", "planned"]
    assert reported["boxes"][leaf["box"]]["members"] == ["su1-rail0"]


def test_too_many_cables_for_a_page_are_not_listed(demo: Project, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(picture_details, "MOST_CABLES", 15)
    file = tmp_path / "x.html"
    draw(demo, file, Marks())
    told = file.read_text()
    assert "16 cables are too many for one page; `rocefab show links` lists them" in told
    assert "`rocefab show cable` compares both ends of a NIC's cable" in told
    assert "Ethernet128" not in file.read_text()


def test_the_command(tmp_path: Path) -> None:
    file = tmp_path / "demo.svg"
    ended = run("draw", DEMO, "--out", file, "--findings", "--fail-on", "warning")
    assert (ended.code, ended.out, ended.err) == (0, "", f"wrote {file}\n")
    assert "fails a lossless rule: 16" in file.read_text()
    cables = report(tmp_path, ("su1-rail0 Ethernet128", "spine01 Ethernet1/1", "wrong port"))
    run("draw", DEMO, "--out", file, "--cabling-file", cables)
    assert "wrong cable: 1" in file.read_text()
    assert run("draw", DEMO, "--out", tmp_path / "x.pdf").code == 2


def test_devices_that_cannot_be_read_do_not_stop_the_picture(tmp_path: Path, monkeypatch) -> None:
    swapped = Judged(("su1-rail0", "Ethernet128"), ("spine01", "Ethernet1/1"), CableVerdict.SWAPPED)
    seen = Cabling((swapped,), (), (("spine02", "no route to host"),))
    monkeypatch.setattr("fabric.workflow.cabling.cabling", lambda *_: seen)
    file = tmp_path / "demo.svg"
    ended = run("draw", DEMO, "--out", file, "--cabling")
    assert (ended.code, ended.err) == (3, f"spine02: no route to host\nwrote {file}\n")
    assert "wrong cable: 1" in file.read_text()


def test_the_picture_of_the_docs_is_up_to_date(
    demo: Project, tmp_path: Path, update_golden: bool
) -> None:
    draw(demo, tmp_path / "demo.svg", Marks())
    kept = DEMO.parents[1] / "docs" / "demo.svg"
    if update_golden:
        kept.write_bytes((tmp_path / "demo.svg").read_bytes())
    assert kept.read_text() == (tmp_path / "demo.svg").read_text(), "run pytest --update-golden"
