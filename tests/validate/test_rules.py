"""Every rule against its cases, and what must hold for all rules."""

from __future__ import annotations

import pathlib
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
import yaml

from fabric.core.findings import Finding, Severity
from fabric.qos.headroom.verdict import judge
from fabric.systems.sonic.config_db import configs_of
from fabric.systems.sonic.rule import SonicRule
from fabric.validate.runner import all_rules, run
from fabric.validate.world import World
from tests.cases import each
from tests.validate.sonic_faults import FAULTS
from tests.validate.worlds import CASES, build, edited, sample

#: Warnings of the examples themselves: NVIDIA's table of the SN4700 leaves the peer less time than
#: IEEE 802.3 does, and that is what its owner shall know.
KNOWN_WARNINGS = {
    "rail-512": (),
    "routed": ("QOS021",),
    "dual-stack": (),
    "ipv6": (),
    "demo": ("QOS021",),
    "eight-slash-27": ("QOS021",),
    "rail-only": ("QOS021",),
    "dual-tor": ("QOS021",),
    "dual-plane": ("QOS021",),
    "three-tier": ("QOS021", "QOS039"),
    "explicit": ("QOS021", "TOP015"),
}
RULES = {rule.id: rule for rule in all_rules()}


FILES = {path.stem: path for path in sorted(CASES.glob("*.yaml"))}


@cache
def cases_of(rule: str) -> list[dict[str, Any]]:
    """Return the cases of a rule."""
    return yaml.load(FILES[rule].read_text(), yaml.CSafeLoader) if rule in FILES else []


def _fits(finding: Finding, wanted: dict[str, Any], line: str) -> bool:
    severity = wanted.get("severity", RULES[finding.rule].severity.word)
    return (
        wanted["message"] in finding.message
        and wanted.get("fix", "") in finding.fix
        and wanted.get("whole_fix", finding.fix) == finding.fix
        and finding.severity.word == severity
        and finding.device == wanted.get("device", finding.device)
        and finding.port == wanted.get("port", finding.port)
        and finding.field == wanted.get("field", finding.field)
        and wanted.get("at", "") in line
    )


def _line(finding: Finding) -> str:
    place = finding.position
    if place is None:
        return ""
    with pathlib.Path(place.file).open() as file:
        return file.read().splitlines()[place.line - 1]


@pytest.mark.parametrize("rule", FILES)
def test_case(rule: str, tmp_path: Any, subtests: Any) -> None:
    for number, case in enumerate(cases_of(rule)):
        with subtests.test(case["name"]):
            _judge(rule, case, tmp_path / str(number))


def _judge(rule: str, case: dict[str, Any], folder: Any) -> None:
    outcome = run(build(case, folder))
    assert outcome.broken == ()
    mine = [finding for finding in outcome.findings if finding.rule == rule]
    expected = case.get("expect") or []
    for wanted in expected:
        hits = [finding for finding in mine if _fits(finding, wanted, _line(finding))]
        assert len(hits) == 1, f"{wanted} fits {len(hits)} of {[str(f) for f in mine]}"
        if isinstance(RULES[rule], SonicRule):
            continue
        assert hits[0].position is not None
    assert len(mine) == len(expected), [str(finding) for finding in mine]
    allowed = {rule, *case.get("allow", []), *KNOWN_WARNINGS.get(case.get("base", ""), ())}
    others = [f for f in outcome.at_least(Severity.WARNING) if f.rule not in allowed]
    assert not others, [str(finding) for finding in others]
    unused = set(case.get("allow", [])) - {finding.rule for finding in outcome.findings}
    assert not unused, f"allowed but not found: {unused}"


@each("rule", sorted(RULES))
def test_rule_passes_and_fails_somewhere(rule: str) -> None:
    cases = cases_of(rule)
    if rule in {planted for planted, _ in FAULTS.values()} and not cases:
        return  # test_sonic_faults plants it, and passes a leaf without it
    if rule.startswith("DEF"):
        return  # tests/defects has a case file for each fact
    if rule == "SON040":
        return  # needs models of a release: test_yang_judge
    if rule == "HST005":
        return  # needs a thousand NICs in one subnet: tests/systems/host/test_neighbour_rules
    assert any(case.get("expect") for case in cases), "no failing case"
    assert any(not case.get("expect") for case in cases), "no passing case"


def test_no_case_file_without_rule() -> None:
    assert set(FILES) <= set(RULES)


@each("rule", sorted(RULES))
def test_rule_says_what_why_and_source(rule: str) -> None:
    item = RULES[rule]
    assert item.title
    assert not item.title.endswith(".")
    assert item.why.endswith(".")
    assert item.source


@pytest.mark.parametrize("name", sorted({*KNOWN_WARNINGS, "rail-512", "a100-pcie"}))
def test_examples_have_no_other_warnings(name: str, tmp_path: Any) -> None:
    outcome = run(build({"base": name}, tmp_path))
    assert outcome.broken == ()
    known = KNOWN_WARNINGS.get(name, ())
    found = {finding.rule for finding in outcome.at_least(Severity.WARNING)}
    assert found == set(known), [str(f) for f in outcome.at_least(Severity.WARNING)]


def test_no_rule_breaks_without_a_cable(tmp_path: Any) -> None:
    outcome = run(build({"base": "explicit", "keep_files": False}, tmp_path))
    assert outcome.broken == ()
    found = {finding.rule: finding for finding in outcome.findings}
    assert set(found) == {"TOP012", "TOP017"}
    assert found["TOP012"].field == "fabric.switches"


def test_every_position_is_in_the_inventory(tmp_path: Any) -> None:
    change = {"lossless.pfc": False, "spines.count": 1, "bgp.hold_s": 3}
    outcome = run(build({"base": "demo", "set": change, "keep_files": False}, tmp_path))
    places = {finding.position.file for finding in outcome.findings if finding.position}
    assert places == {str(tmp_path / "fabric.yaml")}


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"PORT_QOS_MAP": [], "PFC_WD": None, "BUFFER_PG": "x", "PORT": {"Ethernet0": 3}},
        {"PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "x,,9,3 "}}, "QUEUE": {"Ethernet0|a-b": {}}},
        {"BUFFER_PG": {"Ethernet0|0-99999999999": {}}, "QUEUE": {"": {}, "|": {}, "-": {}}},
        {
            "BGP_NEIGHBOR": {"nonsense": {}, "default|10.0.0.1": {}},
            "INTERFACE": {"E|300.1.1.1": {}},
        },
        {"PFC_WD": {"GLOBAL": {"POLL_INTERVAL": None}, "E0": {"detection_time": []}}},
    ],
    ids=["empty", "shapes", "numbers", "ranges", "addresses", "watchdog"],
)
def test_malformed_config_breaks_no_rule(config: dict[str, Any]) -> None:
    assert run(World(configurations=configs_of({"leaf": config}))).broken == ()


def test_unread_field_is_unknown_not_fine() -> None:
    config = edited(sample(), [["BUFFER_PROFILE", "pg_lossless_400000_5m_profile", "xoff", "lots"]])
    found = run(World(configurations=configs_of({"leaf": config}))).findings
    assert [finding.rule for finding in found] == ["SON007"]


def test_headroom_below_the_floor_is_an_error(tmp_path: Any) -> None:
    """No shipped table is that small, so a port of the design is given a smaller row."""
    model = build({"base": "rail-512"}, tmp_path).model
    assert model is not None
    device = model.devices["su1-rail0"]
    port = device.ports[0]
    floor = 9100 + 9022 + 84 + 2500  # two frames, the pause frame, 5 m of cable at 400G both ways

    def severities(headroom_bytes: int) -> list[str]:
        row = replace(port.headroom.row, headroom_bytes=headroom_bytes)
        judgement = judge(headroom_bytes, port.headroom.link)
        profile = replace(port.headroom, row=row, judgement=judgement)
        small = replace(port, headroom=profile)
        changed = replace(device, ports=(small, *device.ports[1:]))
        devices = {**model.devices, device.name: changed}
        found = run(World(replace(model, devices=devices))).findings
        return [finding.severity.word for finding in found if finding.rule == "QOS021"]

    assert severities(floor - 1) == ["error"]
    assert severities(floor) == ["warning"]
    assert severities(floor + 57_920) == []
