"""Reports of a proof: what was not asked for is skipped, and no form hides a gap."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from tests.cli.runs import DEMO, run

if TYPE_CHECKING:
    from pathlib import Path

NOT_PROVED = "not proved: addresses of hosts, speed, FEC, lanes and breakouts of ports"
PAIRS = "pairs of NICs that the design connects reach each other over every path"
REASONS = {
    "BAT015": "not asked for: no --scenario",
    "BAT017": "not asked for: --engine is own",
    "BAT020": "not asked for: no --against",
}


def test_a_wrong_scenario_names_the_kinds_too() -> None:
    ended = run("prove", DEMO, "--scenario", "host")
    assert ended.code == 2
    assert "use one of spine, link, leaf, link:SWITCH:PORT, " in ended.err


@pytest.mark.parametrize("form", ["text", "json", "junit", "markdown"])
def test_every_form_says_what_is_proved_and_what_is_not(form: str) -> None:
    ended = run("prove", DEMO, "--format", form)
    told = ended.out.replace("\\", "") if form != "text" else ended.said
    assert ended.code == 0
    assert NOT_PROVED in told
    assert PAIRS in told


def test_what_was_not_asked_for_is_skipped() -> None:
    suite = ET.fromstring(run("prove", DEMO, "--format", "junit").out)
    skipped = {
        str(case.get("name"))[:6]: part.get("message")
        for case in suite.iter("testcase")
        for part in case.findall("skipped")
    }
    assert suite.get("name") == "rocefab prove"
    assert REASONS.items() <= skipped.items()
    assert {reason for reason in skipped.values() if "earlier" in str(reason)} == set()
    data = json.loads(run("prove", DEMO, "--format", "json").out)
    assert set(skipped) == set(data["skipped"])
    assert "BAT015" not in data["checked"]


def test_a_failure_that_was_tried_is_checked() -> None:
    data = json.loads(run("prove", DEMO, "--scenario", "spine", "--format", "json").out)
    assert "BAT015" in data["checked"]
    assert data["worst_failure"] == {"failure": "switch:spine01", "pairs": 56}


def test_what_a_failure_leaves_is_said() -> None:
    """The two NICs of a leaf are cut: 6 of 8 are left, with 30 ordered pairs."""
    ended = run("prove", DEMO, "--scenario", "su1-rail0")
    words = "1 failure tried: after su1-rail0, 30 of 56 pairs of NICs reach each other"
    assert words in ended.err


def test_one_mistake_on_many_ports_is_one_finding(tmp_path: Path) -> None:
    assert run("render", DEMO, "--out", str(tmp_path)).code == 0
    for file in tmp_path.glob("switches/*/config_db.json"):
        file.write_text(file.read_text().replace('"mtu": "9100"', '"mtu": "1500"'))
    words = ("prove", DEMO, "--snapshot", str(tmp_path))
    short, full = run(*words).out, run(*words, "--full").out
    ports = full.count("error: ")
    assert full.count("the MTU is 1500 bytes") == ports > 10
    assert short.count("error: ") == 2  # ports and VLANs
    where = "su[1-2]-rail[0-1]"
    assert f"    15 more that differ in names and numbers alone; all are on {where}; " in short
    assert short.endswith(f"{ports} findings in 2 groups of similar ones; `--full` lists each\n")
    found = json.loads(run(*words, "--format", "json").out)["findings"]
    assert len({(one["device"], one["port"]) for one in found}) == ports


def test_pairs_that_the_design_does_not_connect(tmp_path: Path) -> None:
    """Two leaves with one AS number reject the routes of each other: the files match the design."""
    folder = tmp_path / "same-as"
    shutil.copytree(DEMO, folder)
    (folder / "devices").mkdir(exist_ok=True)
    own = "devices: [{names: 'su1-rail[0-1]', asn: 65201}]\n"
    (folder / "devices" / "same.yaml").write_text(own)
    ended = run("prove", folder)
    assert ended.code == 0
    assert "other pairs of NICs have no path in the design: the files are as designed" in ended.err
    assert "`rocefab check` reports the design (TOP026)" in ended.err
    assert "[TOP026]" in run("check", folder).out
    assert json.loads(run("prove", folder, "--format", "json").out)["proof"]["ipv4"][
        "unplanned_pairs"
    ]
    assert "no path in the design" not in run("prove", DEMO).err


@pytest.mark.parametrize("name", ["rail-only", "dual-plane"])
def test_planes_and_rails_without_a_common_spine_are_no_finding(name: str) -> None:
    ended = run("prove", DEMO.parent / name)
    assert ended.code == 0
    words = "no path in the design, which keeps planes, rails or units apart: that fails nothing"
    assert words in ended.err
