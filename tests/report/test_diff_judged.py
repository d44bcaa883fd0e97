"""diff: what rules and proof say of both sides, and the risk for sessions and reach."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fabric.change.model import Risk
from fabric.change.rollout import stop
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.report.diff.consequences import consequences, lost_pairs, reaches, worst
from fabric.report.diff.figures import _values
from fabric.report.diff.forms import FORMS
from fabric.report.diff.risks import RISKS
from fabric.workflow import diff_judged
from fabric.workflow.diff import between
from fabric.workflow.diff_judged import judged
from fabric.workflow.diff_source import Source
from fabric.workflow.project import Project
from fabric.workflow.work import Work
from tests.render import comware7_designs, nxos_designs
from tests.report.diffs import DEMO, INVENTORY, compared, edited

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from fabric.core.artefact import Artefact
    from fabric.design.model import DeviceDesign
    from fabric.report.diff.model import Diff, RuleFinding

#: Words about packets that are lost between waves.
LOST = "a roll-out can lose packets of the lossless class"
KMIN = ("kmin_bytes: 150000", "kmin_bytes: 200000")
#: All uplinks of a leaf.
OFF = """devices:
  - names: su1-rail0
    ports:
      Ethernet128: {enabled: false}
      Ethernet136: {enabled: false}
"""


def _rules(findings: Iterable[RuleFinding]) -> list[tuple[str, str]]:
    return [(one.severity, one.rule) for one in findings]


def _cut(folder: Path) -> Path:
    """Return an inventory in which a leaf has no uplink that works."""
    after = edited(folder)
    (after / "devices" / "off.yaml").write_text(OFF)
    return after


def _forms(diff: Diff) -> dict[str, str]:
    return {form: FORMS[form](diff) for form in ("text", "markdown", "html")}


def test_a_leaf_without_uplinks_loses_reach(tmp_path: Path) -> None:
    """Two NICs of the leaf, and six others that each of them reached: both ways."""
    result = compared(DEMO, _cut(tmp_path))
    assert result.summary.risk == "reachability lost"
    assert [one.words for one in result.consequences] == [
        "24 pairs of NICs no longer reach each other",
        "2 new errors of the check, such as no uplink at all (and in 1 more place) [TOP012]",
        "uplinks carry less of the bandwidth below them: leaf tier 1.00:1 -> 1.33:1",
        "BGP sessions of 3 switches (spine[01-02],su1-rail0) end: uplinks are removed",
    ]
    assert result.judged
    assert _rules(result.judged.new) == [
        ("error", "TOP012"), ("error", "TOP026"), ("warning", "TOP015")
    ]  # fmt: skip
    assert str(result.judged.new[0].place) == f"{tmp_path}/after/devices/off.yaml:4"
    assert result.judged.gone == ()
    proofs = result.judged.proof_before, result.judged.proof_after
    assert [(one.verdict, one.pairs, one.lost_pairs) for one in proofs] == [
        ("proved", 56, 0), ("proved", 32, 0)
    ]  # fmt: skip
    for form, text in _forms(result).items():
        assert "findings: 3 new (2 errors, 1 warning), 0 gone" in text, form
        assert "New findings (3)" in text, form
        assert "proved for 56 pairs of NICs before, proved for 32 pairs of NICs after" in text, form


def test_a_base_that_a_system_rejects_is_repaired(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered = Source.files

    def files(source: Source, names: Iterable[str]) -> dict[str, list[Artefact]]:
        if source.folder == DEMO:
            raise InputError("", [Finding("REN001", Severity.ERROR, "the queue is taken")])
        return rendered(source, names)

    monkeypatch.setattr(Source, "files", files)
    result = compared(DEMO, edited(tmp_path, KMIN))
    assert result.uncompared[0].startswith(f"{DEMO} is not valid: 1 error")
    assert result.judged
    assert _rules(result.judged.gone) == [("error", "REN001")]
    assert [edit.field for edit in result.edits] == ["fabric.lossless.ecn.kmin_bytes"]
    assert (result.summary.edits, result.summary.changed, result.summary.lines) == (1, None, None)
    for form, text in _forms(result).items():
        assert "200000" in text, form
        assert "the queue is taken" in text, form


def test_the_other_way_round_findings_are_gone(tmp_path: Path) -> None:
    result = compared(_cut(tmp_path), DEMO)
    assert result.judged
    assert (len(result.judged.new), len(result.judged.gone)) == (0, 3)
    assert result.consequences == ()
    assert result.summary.risk == "harmless"  # ports that were shut


def test_a_finding_with_other_figures_is_neither_new_nor_gone(tmp_path: Path) -> None:
    result = compared(DEMO, edited(tmp_path, KMIN))
    assert result.judged
    assert (result.judged.new, result.judged.gone) == ((), ())
    [changed] = result.judged.changed
    assert (changed.rule, changed.place and changed.place.line) == ("QOS029", 38)
    assert "kmin_bytes 200,000 is below" in changed.message
    text = FORMS["text"](result)
    assert "findings: 0 new, 0 gone, 1 with other values (1 info)" in text


SAME_DSCP = ("roce_dscp: 26", "roce_dscp: 48")
WAIVED = ("design:", "waivers: [{rule: QOS008, reason: x, until: '2030-01-01'}]\ndesign:")


@pytest.mark.parametrize(
    ("edits", "words"),
    [((SAME_DSCP,), "new error"), ((SAME_DSCP, WAIVED), "newly waived error")],
    ids=["reported", "waived"],
)
def test_a_new_error_of_the_check_is_less_protection(
    tmp_path: Path, edits: tuple[tuple[str, str], ...], words: str
) -> None:
    """Also where the same change hides it by a waiver."""
    result = compared(DEMO, edited(tmp_path, *edits))
    assert result.summary.risk == "less protection"
    [line] = [one.words for one in result.consequences if words in one.words]
    assert "[QOS008]" in line
    for form, text in _forms(result).items():
        assert words in text, form


def test_a_waiver_makes_a_finding_go_away(tmp_path: Path) -> None:
    waiver = "waivers: [{rule: QOS021, reason: x, until: '2030-01-01'}]\ndesign:"
    result = compared(DEMO, edited(tmp_path, ("design:", waiver)))
    assert result.judged
    assert {one.rule for one in result.judged.gone} == {"QOS021"}
    assert result.judged.new == ()
    assert result.summary.risk == "none"


ENDED = {
    "other addresses": (
        ("hosts: 10.64.0.0/16", "hosts: 10.65.0.0/16"),
        ["addresses of 8 NICs on 4 hosts change: all their connections end"],
    ),
    "a host less": (("gpu[003-004]", "gpu003"), ["1 host removed (gpu004): connections end"]),
    "another name": (("gpu[003-004]", "gpu[003,005]"), []),
    "AS numbers": (
        ("leaf_asn_first: 65101", "leaf_asn_first: 65201"),
        [
            (
                "a roll-out cuts 6 of 6 pairs of leaves after waves 2 to 3, while BGP sessions are "
                f"down; {stop()}; for a plan with --rollout add --traffic-stopped"
            ),
            (
                "BGP sessions of 6 switches (spine[01-02],su[1-2]-rail[0-1]) restart: AS "
                "numbers or addresses change"
            ),
        ],
    ),
    "a spine less": (
        ("count: 2", "count: 1"),
        [
            "uplinks carry less of the bandwidth below them: leaf tier 1.00:1 -> 2.00:1",
            "BGP sessions of 4 switches (su[1-2]-rail[0-1]) end: uplinks are removed",
        ],
    ),
    "nothing of that kind": (KMIN, []),
}


@pytest.mark.parametrize(("pair", "words"), ENDED.values(), ids=ENDED)
def test_sessions_that_end_are_counted(
    pair: tuple[str, str], words: list[str], tmp_path: Path
) -> None:
    result = compared(DEMO, edited(tmp_path, pair))
    assert [one.words for one in result.consequences] == words


def test_protection_that_is_taken_away_is_a_risk(tmp_path: Path) -> None:
    off = ("watchdog: {action", "watchdog: {enabled: false, action")
    result = compared(DEMO, edited(tmp_path, off))
    [follows] = result.consequences
    assert follows.words == "PFC watchdog off on 24 ports (leaf, spine)"
    assert result.summary.risk == follows.risk == "less protection"
    assert result.summary.risk_of_applying == "port flap"
    text = FORMS["text"](result)
    assert (
        "highest risk: less protection, afterwards; while it is applied: port flap; no reload"
        in text
    )
    assert "watchdog.enabled  true    false" in text
    assert compared(tmp_path / "after", DEMO).consequences == ()


def _watchdog_figures(device: DeviceDesign) -> set[str]:
    port = next(port for port in device.ports if port.qos and port.enabled)
    return {name for name in _values(device, port, None) if name.startswith("watchdog.")}


def test_a_watchdog_that_is_not_rendered_has_no_figures() -> None:
    """NX-OS gets no times, Comware 7 no watchdog at all."""
    switched = {"watchdog.enabled", "watchdog.action"}
    assert _watchdog_figures(nxos_designs.designs("demo")["spine01"]) == switched
    assert _watchdog_figures(comware7_designs.designs("demo")["spine01"]) == set()
    assert len(_watchdog_figures(Project(DEMO).devices["spine01"])) == 5


def test_a_nic_that_leaves_its_tenant_loses_its_connections(tmp_path: Path) -> None:
    source = INVENTORY / "tenants"
    after = edited(tmp_path, (", nics: {gpu004: [0]}}", "}"), source=source)
    result = compared(source, after)
    assert result.summary.risk == "sessions end"
    [follows] = result.consequences
    assert follows.words == "1 NIC leaves its tenant: connections to NICs that stay there end"


@pytest.mark.parametrize(
    ("pair", "example"),
    [
        (("roce_dscp: 26", "roce_dscp: 30"), "lossless DSCPs are 26 on some devices and 30"),
        (KMIN, ""),
    ],
    ids=["DSCP", "a threshold of each device"],
)
def test_what_is_lost_between_waves_has_the_words_of_a_plan(
    tmp_path: Path, pair: tuple[str, str], example: str
) -> None:
    result = compared(DEMO, edited(tmp_path, pair))
    words = [one.words for one in result.consequences if LOST in one.words]
    assert [example in line for line in words] == ([True] if example else [])
    assert all(f"{LOST} after waves" in line for line in words)
    assert all(f"; {stop()}; for a plan with --rollout add" in line for line in words)


@dataclass(frozen=True)
class _Broken(Source):
    """A side whose files of a leaf have no BGP neighbour."""

    def files(self, names: Iterable[str]) -> dict[str, list[Artefact]]:
        return {
            name: list(map(_without_bgp, items)) for name, items in super().files(names).items()
        }


def _without_bgp(item: Artefact) -> Artefact:
    if item.kind != "config_db" or item.device != "su1-rail0":
        return item
    tables: Mapping[str, object] = json.loads(item.content)
    left = {name: rows for name, rows in tables.items() if name != "BGP_NEIGHBOR"}
    return replace(item, content=json.dumps(left, indent=4).encode())


def test_files_that_break_the_proof_are_the_highest_risk(tmp_path: Path) -> None:
    before = Source(DEMO, str(DEMO), Work())
    folder = edited(tmp_path, KMIN)
    result = between(before, _Broken(folder, "after", Work()), {}, lambda *_: None, judged)
    assert result.summary.risk == "proof fails"
    assert result.consequences[0].words.startswith("8 new errors of the proof, such as ")
    assert result.judged
    after = result.judged.proof_after
    assert (after.verdict, after.findings, after.lost_pairs) == ("findings", 18, 24)
    assert result.judged.proof_before.verdict == "proved"
    text = FORMS["text"](result)
    assert "before, 18 findings, 24 of 56 pairs of NICs lost after" in text


@dataclass(frozen=True)
class _Unreadable(Source):
    """A side with a file that is no CONFIG_DB."""

    def files(self, names: Iterable[str]) -> dict[str, list[Artefact]]:
        return {
            name: [replace(one, content=b"[]") if one.kind == "config_db" else one for one in items]
            for name, items in super().files(names).items()
        }


def test_a_side_that_cannot_be_proved_is_not_harmless(tmp_path: Path) -> None:
    """The files differ in no setting that a device would lose traffic for."""
    before = Source(DEMO, str(DEMO), Work())
    after = _Unreadable(edited(tmp_path, ("timeout_s: 240", "timeout_s: 300")), "after", Work())
    verdict = judged(before, after, lambda *_: None)
    assert (verdict.proof_before.verdict, verdict.proof_after.verdict) == ("proved", "not run")
    assert verdict.proof_after.reason == "4 files cannot be read"
    follows = consequences(before.designs, after.designs, (), (), (), verdict)
    assert "unknown" in {one.risk for one in follows}


def test_a_large_fabric_is_not_proved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diff_judged, "MOST_SWITCHES", 5)
    result = compared(DEMO, edited(tmp_path, KMIN))
    assert result.judged
    assert result.judged.proof_after.verdict == "not run"
    reason = "not run (more than 5 switches; `rocefab prove` proves each side)"
    assert f"proof: {reason} before and after" in FORMS["text"](result)


def test_risks_of_the_whole_fabric_come_before_those_of_devices() -> None:
    assert worst(["harmless", "restart", "unknown"]) == "unknown"
    assert worst(["unknown", "sessions end"]) == "sessions end"
    words = [risk.word for risk in Risk]
    assert [*RISKS[: len(words)]] == words
    assert not reaches("none", RISKS[0])
    assert reaches("port flap", "port flap")
    assert worst(["proof fails", "reachability lost", "sessions end"]) == "proof fails"
    assert worst([]) == "none"


def test_pairs_of_hosts_on_both_sides_count(tmp_path: Path) -> None:
    """A host that goes loses no pair of others."""
    demo = Project(DEMO).fabric
    assert lost_pairs(demo, demo) == 0
    assert lost_pairs(demo, Project(edited(tmp_path, ("gpu[003-004]", "gpu003"))).fabric) == 0
    assert lost_pairs(demo, Project(_cut(tmp_path / "cut")).fabric) == 24


@pytest.mark.parametrize(("form", "pairs"), [("local", 0), ("evpn", 10)])
def test_pairs_of_one_tenant_count(form: str, pairs: int, tmp_path: Path) -> None:
    """At the leaf: a NIC of red, which has three others, and one of blue, which has two."""
    before = edited(tmp_path, ("form: evpn", f"form: {form}"), source=INVENTORY / "tenants")
    after = edited(tmp_path, source=before, name="cut")
    (after / "devices").mkdir(exist_ok=True)
    (after / "devices" / "off.yaml").write_text(OFF.replace("128", "17/1").replace("136", "18/1"))
    assert lost_pairs(Project(before).fabric, Project(after).fabric) == pairs


def test_the_order_does_not_depend_on_hashes(tmp_path: Path) -> None:
    """Sets of texts have another order with each seed."""
    pools, numbers = "hosts: 10.6{}.0.0/16", "leaf_asn_first: 65{}01"
    pairs = [
        (text.format(old), text.format(new)) for text, old, new in ((pools, 4, 5), (numbers, 1, 2))
    ]
    after = edited(tmp_path, *pairs)
    words = ("diff", str(DEMO), str(after), "--fresh", "--format", "json")
    command = [sys.executable, "-m", "fabric", *words]
    outputs = {
        subprocess.run(
            command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
