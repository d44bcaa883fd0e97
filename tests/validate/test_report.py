"""Reports: what programs read is whole and well-formed, what people read is as written here."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import date
from pathlib import Path
from pkgutil import iter_modules
from typing import Any
from xml.etree import ElementTree as ET

import pytest

import fabric.validate.report as package
from fabric.cli.options import ReportForm
from fabric.core.findings import Finding, Ignored, Position, Severity
from fabric.validate.publications import help_address
from fabric.validate.report import reports
from fabric.validate.report.markdown import MOST_CHARACTERS, plain
from fabric.validate.report.plain_json import finding_json
from fabric.validate.report.sarif import MOST_DESCRIBED, MOST_RESULTS
from fabric.validate.reported import Reported
from fabric.validate.runner import Outcome, all_rules
from fabric.validate.waivers import Waived
from tests.cli.runs import ROOT, run
from tests.report.followed import is_followed_by_markdown

GOLDEN = Path(__file__).parent / "samples" / "report.txt"
FINDINGS = (
    Finding(
        "QOS004",
        Severity.ERROR,
        'PFC is off & "lossless" < lossy',
        "set pfc to true",
        "fabric.lossless.pfc",
        Position("inventory/fabric.yaml", 7, 3),
        "leaf01",
        "Ethernet0",
    ),
    Finding("TOP013", Severity.WARNING, "there is only one spine, without redundancy"),
    Finding("TOP014", Severity.INFO, "oversubscribed leaves: 2", device="leaf02"),
)
OUTCOME = Outcome(
    FINDINGS, ("QOS004", "TOP013", "TOP014"), ("SON001",), (("BGP001", "KeyError: 'x'"),)
)
EMPTY = Outcome((), ("QOS004",), (), ())


#: Of the schema of SARIF 2.1.0 (OASIS), what our logs use; and what GitHub says it needs beside.
_TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"minLength": 1}}}
_LINE = {"type": "integer", "minimum": 1}
_SHORT = {**_TEXT, "properties": {"text": {"minLength": 1, "maxLength": 1024}}}
_RULE = {
    "required": ["id", "shortDescription", "fullDescription", "help"],
    "additionalProperties": False,
    "properties": {
        "id": {"type": "string"},
        "shortDescription": _SHORT,
        "fullDescription": _SHORT,
        "help": _TEXT,
        "helpUri": {"pattern": "^https://[^ ]+$"},
        "defaultConfiguration": {"properties": {"level": {"enum": ["note", "warning", "error"]}}},
    },
}
_PLACE = {
    "required": ["artifactLocation", "region"],
    "properties": {
        "artifactLocation": {
            "required": ["uri"],
            "properties": {"uri": {"pattern": "^[^ ]+$"}, "uriBaseId": {"const": "%SRCROOT%"}},
            "additionalProperties": False,
        },
        "region": {
            "required": ["startLine", "startColumn", "endLine", "endColumn"],
            "additionalProperties": _LINE,
        },
    },
}
_RESULT = {
    "required": ["ruleId", "level", "message", "locations", "partialFingerprints"],
    "additionalProperties": False,
    "properties": {
        "ruleId": {"type": "string"},
        "level": {"enum": ["note", "warning", "error"]},
        "message": _TEXT,
        "locations": {
            "minItems": 1,
            "maxItems": 1,
            "items": {"required": ["physicalLocation"], "properties": {"physicalLocation": _PLACE}},
        },
        "partialFingerprints": {
            "required": ["primaryLocationLineHash"],
            "additionalProperties": {"type": "string", "minLength": 1},
        },
    },
}
_RUN = {
    "required": ["tool", "results"],
    "properties": {
        "tool": {
            "properties": {"driver": {"required": ["name", "rules"]}},
            "required": ["driver"],
        },
        "results": {"type": "array", "maxItems": 25_000, "items": _RESULT},
        "originalUriBaseIds": {
            "required": ["%SRCROOT%"],
            "additionalProperties": {"properties": {"uri": {"pattern": "^file:///(.*/)?$"}}},
        },
        "invocations": {"items": {"required": ["executionSuccessful"]}},
    },
}
SARIF = {
    "required": ["$schema", "version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string"},
        "version": {"const": "2.1.0"},
        "runs": {"maxItems": 20, "items": _RUN},
    },
}


def _report(form: str, outcome: Outcome = OUTCOME, **asked: Any) -> str:
    return reports()[form](Reported(outcome, all_rules(), **asked))


def _sarif(text: str) -> dict[str, Any]:
    """Return the run of a log that the standard and GitHub take."""
    import jsonschema

    log = json.loads(text)
    jsonschema.validate(log, SARIF)
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    assert len(rules) <= 25_000
    for rule in rules:
        jsonschema.validate(rule, _RULE)
    ids = [rule["id"] for rule in rules]
    assert len(ids) == len(set(ids))
    assert {result["ruleId"] for result in log["runs"][0]["results"]} <= set(ids)
    return log["runs"][0]


def _junit(text: str) -> dict[str, ET.Element]:
    """Return the cases of a suite that Jenkins takes (jenkinsci/xunit-plugin junit-10.xsd)."""
    suite = ET.fromstring(text)
    assert suite.tag == "testsuite"
    assert set(suite.attrib) == {"name", "tests", "failures", "errors", "skipped"}
    cases = {case.attrib["name"].split()[0]: case for case in suite}
    assert {case.tag for case in suite} == {"testcase"}
    assert int(suite.attrib["tests"]) == len(suite) == len(cases)
    kinds = ("failure", "error", "skipped")
    for kind, word in zip(kinds, ("failures", "errors", "skipped"), strict=True):
        assert int(suite.attrib[word]) == sum(case.find(kind) is not None for case in suite)
    for case in suite:
        assert set(case.attrib) == {"name", "classname"}
        tags = [part.tag for part in case]
        assert set(tags) <= {*kinds, "system-out"}
        assert len(tags) == len(set(tags))
        assert sum(tag in kinds for tag in tags) <= 1
        assert all(set(part.attrib) <= {"message", "type"} for part in case)
    return cases


def test_text_golden(update_golden: bool) -> None:
    if update_golden:
        GOLDEN.write_text(_report("text"))
    assert GOLDEN.read_text() == _report("text")


def test_text_without_findings() -> None:
    assert _report("text", EMPTY) == "1 rule checked: 0 errors, 0 warnings, 0 info\n"


LIKE = tuple(
    Finding(
        "BAT009",
        Severity.ERROR,
        f"switches/leaf{leaf}/config_db.json:{port}: the MTU is 1500 bytes",
        "compare the files",
        "fabric.lossless.mtu_bytes",
        Position("inventory/fabric.yaml", 9, 3),
        f"leaf{leaf}",
        f"Ethernet{port}",
    )
    for leaf in (1, 2)
    for port in (8, 16)
)
OTHER = Finding("BAT012", Severity.ERROR, "BGP does not converge")


def test_check_lists_like_findings_one_by_one_when_asked() -> None:
    demo = str(ROOT / "inventory" / "demo")
    short, full = run("check", demo).out, run("check", demo, "--full").out
    assert "9 findings in 7 groups of similar ones; `--full` lists each" in short
    assert "`--full` lists all" not in full
    assert full.count("[QOS") == short.count("[QOS") + 2


def test_a_single_like_finding_is_whole() -> None:
    outcome = Outcome(LIKE[:2], ("BAT009",), (), ())
    assert _report("text", outcome, full=False).splitlines()[:3] == [
        f"error: {LIKE[0]}",
        "    1 more like it:",
        "      leaf1 Ethernet16: switches/leaf1/config_db.json:16: the MTU is 1500 bytes",
    ]


@pytest.mark.parametrize(
    ("other", "example"),
    [
        ("the pool of S-1 is not known (and in 3 more places)", "core01 (and in 3 more places)"),
        ("the pool of S-2 is not known", "core01: the pool of S-2 is not known"),
    ],
    ids=["the same", "another model"],
)
def test_roles_with_the_same_finding_are_one(other: str, example: str) -> None:
    """Switches of two roles have a finding each: at its own line, with another text or none."""
    leaf = Finding(
        *("QOS002", Severity.INFO, "the pool of S-1 is not known (and in 7 more places)", "ask"),
        *("fabric.platforms.leaf.sku", Position("i/fabric.yaml", 9, 3), "su1-rail0"),
    )
    place = Position("i/fabric.yaml", 10, 3)
    core = replace(leaf, message=other, field="fabric.platforms.super_spine.sku", position=place)
    outcome = Outcome((leaf, replace(core, device="core01")), ("QOS002",), (), ())
    assert _report("text", outcome, full=False).splitlines()[:3] == [
        f"info: {leaf}",
        "    1 more like it:",
        f"      i/fabric.yaml:10:3: {example}",
    ]


def test_like_findings_are_one_with_count_places_and_examples() -> None:
    outcome = Outcome((*LIKE, OTHER), ("BAT009", "BAT012"), (), ())
    assert _report("text", outcome, full=False).splitlines() == [
        f"error: {LIKE[0]}",
        "    3 more that differ in names and numbers alone; all are on leaf[1-2]; such as:",
        "      leaf1 Ethernet16: switches/leaf1/config_db.json:16: the MTU is 1500 bytes",
        "      leaf2 Ethernet8",
        f"error: {OTHER}",
        "2 rules checked: 5 errors, 0 warnings, 0 info",
        "5 findings in 2 groups of similar ones; `--full` lists each",
    ]
    markdown = _report("markdown", outcome, full=False)
    assert r"(3 more that differ in names and numbers alone; all are on leaf\[1-2\])" in markdown
    assert markdown.count("\n| error") == 2
    assert _report("text", outcome).splitlines()[:5] == [
        f"error: {finding}" for finding in (*LIKE, OTHER)
    ]
    assert _report("markdown", outcome).count("\n| error") == 5


def test_findings_that_differ_in_more_than_numbers_stay_apart() -> None:
    first = LIKE[0]
    for change in (
        {"rule": "BAT010"},
        {"severity": Severity.WARNING},
        {"message": "the port is shut down"},
        {"fix": "enable the port"},
        {"position": Position("inventory/hosts/a.yaml", 9, 3)},
        {"device": "spine1"},
    ):
        outcome = Outcome((first, replace(first, **change)), ("BAT009",), (), ())
        assert "more that" not in _report("text", outcome, full=False), change


def test_programs_get_every_finding() -> None:
    outcome = Outcome(LIKE, ("BAT009",), (), ())
    for form in sorted({*reports()} - {"text", "markdown"}):
        assert _report(form, outcome, full=False) == _report(form, outcome), form
    assert len(json.loads(_report("json", outcome, full=False))["findings"]) == 4


def test_json_round_trip() -> None:
    data = json.loads(_report("json"))
    assert data["findings"] == [finding_json(finding) for finding in FINDINGS]
    again = [_finding(item) for item in data["findings"]]
    assert tuple(again) == FINDINGS
    assert data["broken"] == [{"rule": "BGP001", "reason": "KeyError: 'x'"}]
    assert data["skipped"] == ["SON001"]


def _finding(item: dict[str, Any]) -> Finding:
    place = Position(item["file"], item["line"], item["column"]) if item["file"] else None
    severity = Severity[item["severity"].upper()]
    keys = ("rule", "message", "fix", "field", "device", "port")
    assert all(item[key] != "" for key in keys if key != "fix")
    rest = {key: item[key] or "" for key in keys}
    return Finding(severity=severity, position=place, **rest)


def test_every_form_is_a_module_and_an_option() -> None:
    modules = {module.name for module in iter_modules(package.__path__)}
    assert {name.replace("plain_", "") for name in modules} == set(reports())
    assert {form.value for form in ReportForm} == set(reports())


def test_sarif_says_where_what_and_who() -> None:
    done = _sarif(_report("sarif", file="inventory/my fabric/fabric.yaml"))
    assert [result["level"] for result in done["results"]] == ["error", "warning", "note"]
    places = [result["locations"][0]["physicalLocation"] for result in done["results"]]
    assert places[0]["artifactLocation"]["uri"] == "inventory/fabric.yaml"
    assert (places[0]["region"]["startLine"], places[0]["region"]["startColumn"]) == (7, 3)
    assert places[1]["artifactLocation"]["uri"] == "inventory/my%20fabric/fabric.yaml"
    assert (places[1]["region"]["startLine"], places[1]["region"]["startColumn"]) == (1, 1)
    assert done["originalUriBaseIds"]["%SRCROOT%"]["uri"] == f"{Path.cwd().as_uri()}/"
    (invocation,) = done["invocations"]
    assert not invocation["executionSuccessful"]
    assert invocation["toolExecutionNotifications"][0]["associatedRule"] == {"id": "BGP001"}


def test_sarif_of_an_inventory_that_cannot_be_read_is_no_success() -> None:
    """Nobody takes findings as gone that no rule looked for."""
    unread = Finding("INT002", Severity.ERROR, "unknown field", "remove it")
    done = _sarif(_report("sarif", Outcome((unread,), (), (), ())))
    (invocation,) = done["invocations"]
    assert not invocation["executionSuccessful"]
    (note,) = invocation["toolExecutionNotifications"]
    assert note["level"] == "error"
    assert "no rule ran" in note["message"]["text"]
    assert "unknown field" in note["message"]["text"]


def test_sarif_of_a_file_elsewhere_has_a_whole_address(tmp_path: Path) -> None:
    done = _sarif(_report("sarif", file=str(tmp_path / "fabric.yaml")))
    uri = done["results"][1]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert uri == {"uri": (tmp_path / "fabric.yaml").as_uri()}


def test_sarif_fingerprints_outlive_a_move_and_tell_twins_apart() -> None:
    place = Position("fabric.yaml", 7, 3)
    first = Finding("QOS004", Severity.ERROR, "off", position=place)
    moved = Finding("QOS004", Severity.ERROR, "off", position=Position("fabric.yaml", 9, 3))
    other = Finding("QOS004", Severity.ERROR, "off", position=place, device="leaf01")

    def marks(*findings: Finding) -> list[str]:
        results = _sarif(_report("sarif", Outcome(findings, (), (), ())))["results"]
        return [result["partialFingerprints"]["primaryLocationLineHash"] for result in results]

    assert marks(first) == marks(moved)
    assert len({*marks(first, first, other)}) == 3


def test_sarif_stays_below_the_limits_of_github() -> None:
    many = Outcome((FINDINGS[0],) * (MOST_RESULTS + 7), (FINDINGS[0].rule,), (), ())
    done = _sarif(_report("sarif", many))
    assert len(done["results"]) == MOST_RESULTS == 25_000
    (note,) = done["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"].startswith("7 findings are omitted")
    assert MOST_DESCRIBED == 1024


@pytest.mark.parametrize(
    ("source", "address"),
    [
        ("RFC 4271 section 4.4", "https://www.rfc-editor.org/rfc/rfc4271"),
        ("sonic-net/sonic-swss orchagent/x.cpp", "https://github.com/sonic-net/sonic-swss"),
        ("Zhu et al.; Juniper/yang @ 2a69 24.4R1", "https://github.com/Juniper/yang"),
        ("docs/designs.md (names)", ""),
        (
            "Linux drivers/net/x.c (y)",
            "https://github.com/torvalds/linux/blob/master/drivers/net/x.c",
        ),
        ("Zhu et al., SIGCOMM 2015, section 4", "https://doi.org/10.1145/2785956.2787484"),
        ("fabric/topology/overrides.py in this repository", ""),
    ],
)
def test_a_help_address_is_where_the_source_is_public(source: str, address: str) -> None:
    assert help_address(source) == address


#: What a source says that is not published: this repository, or tables named elsewhere.
OWN = re.compile(r"in this repository|^docs/|as cited in fabric/|templates of each system")


def test_every_rule_has_a_help_address_but_those_of_this_repository() -> None:
    without = [rule.source for rule in all_rules() if not help_address(rule.source)]
    assert [source for source in without if not OWN.search(source)] == []


@pytest.mark.parametrize(
    ("fail_on", "failed"),
    [
        (Severity.ERROR, {"QOS004"}),
        (Severity.WARNING, {"QOS004", "TOP013"}),
        (Severity.INFO, {"QOS004", "TOP013", "TOP014"}),
    ],
)
def test_junit_fails_from_the_wanted_severity_on(fail_on: Severity, failed: set[str]) -> None:
    cases = _junit(_report("junit", fail_on=fail_on))
    assert {name for name, case in cases.items() if case.find("failure") is not None} == failed
    told = {name for name, case in cases.items() if case.find("system-out") is not None}
    assert told == {"QOS004", "TOP013", "TOP014"} - failed
    assert cases["BGP001"].find("error").get("message") == "KeyError: 'x'"
    assert "ignored" in cases["SON001"].find("skipped").get("message")
    assert cases["QOS004"].find("failure").get("message") == FINDINGS[0].sentence


def test_junit_of_an_inventory_that_cannot_be_read_passes_nothing() -> None:
    finding = Finding("INT001", Severity.ERROR, "cannot be read: \x07", position=Position("f"))
    cases = _junit(_report("junit", Outcome((finding,), (), (), ())))
    assert cases.pop("INT001").find("failure") is not None
    assert all(case.find("skipped") is not None for case in cases.values())


def test_github_commands_hold_signs_that_would_end_them() -> None:
    place = Position("a,b:c/fabric.yaml", 7, 3)
    finding = Finding("QOS004", Severity.INFO, "100%: one\ntwo", position=place)
    first, *rest = _report("github", Outcome((finding,), (), (), ())).splitlines()
    where = "file=a%2Cb%3Ac/fabric.yaml,line=7,col=3,title=QOS004"
    assert first == f"::notice {where}::100%25: one%0Atwo"
    assert rest == ["0 rules checked: 0 errors, 0 warnings, 1 info"]
    assert "::error title=BGP001::KeyError: 'x'\n" in _report("github")


def test_gitlab_issues_have_what_its_page_asks_for() -> None:
    issues = json.loads(_report("gitlab", file="inv/fabric.yaml"))
    assert len({issue["fingerprint"] for issue in issues}) == len(issues) == 4
    assert [issue["severity"] for issue in issues] == ["critical", "minor", "info", "critical"]
    assert issues[0]["location"] == {"path": "inventory/fabric.yaml", "lines": {"begin": 7}}
    assert issues[1]["location"] == {"path": "inv/fabric.yaml", "lines": {"begin": 1}}
    assert issues[0]["check_name"] == "QOS004"
    assert issues[0]["description"].startswith("fabric.lossless.pfc: leaf01 Ethernet0: PFC is off")


def test_markdown_holds_signs_and_the_size_of_a_comment() -> None:
    text = _report("markdown")
    assert text.startswith("### rocefab check: failed\n")
    assert 'PFC is off &amp; "lossless" \\< lossy; set pfc to true |' in text
    assert _report("markdown", EMPTY).startswith("### rocefab check: passed\n")
    many = _report("markdown", Outcome(FINDINGS * 1000, (), (), ()))
    assert len(many) <= MOST_CHARACTERS + 100 < 65_536
    shown = many.count("\n| error") + many.count("\n| warning") + many.count("\n| info")
    assert f"{3000 - shown} more: " in many


def test_markdown_may_follow_a_table_and_a_list() -> None:
    waived = (Waived(FINDINGS[0], "agreed", date(2027, 1, 31)),)
    for outcome in (OUTCOME, EMPTY, replace(EMPTY, waived=waived), replace(OUTCOME, waived=waived)):
        for notes in ((), ("a note",)):
            text = _report("markdown", outcome, notes=notes)
            assert is_followed_by_markdown(text)
            assert text.count("\n\n| severity |") == bool(outcome.findings)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("run `rocefab show ecn`; then a_b", "run `rocefab show ecn`; then a\\_b"),
        ("`a` and `b_c`", "`a` and `b_c`"),
        ("`<script>`&lt;", "`<script>`&amp;lt;"),
        ("one ` alone", "one \\` alone"),
        ("``a`` `b|c` `@team`", "\\`\\`a\\`\\` \\`b\\|c\\` \\`@\u200bteam\\`"),
    ],
)
def test_commands_of_a_message_are_code_in_markdown(text: str, written: str) -> None:
    assert plain(text) == written


def test_every_form_names_the_field() -> None:
    """Or nobody knows which 9 is too large."""
    finding = Finding("INT004", Severity.ERROR, "9 is too large", field="fabric.lossless.size")
    for form in sorted({*reports()} - {"json"}):  # which has it as a member
        text = _report(form, Outcome((finding,), (), (), ()))
        assert "fabric.lossless.size: 9 is too large" in text, form


IGNORED = Outcome((FINDINGS[1],), ("TOP013",), ("QOS004",), (), ignored=(FINDINGS[0],) * 2)


def test_every_form_says_what_a_file_ignores() -> None:
    ignored = Ignored(("QOS004", "TOP014"), Position("rocefab.toml", 2))
    for form in sorted(reports()):
        text = _report(form, IGNORED, ignored=ignored).replace("\\", "")
        words = "ignored by rocefab.toml:2: QOS004 (2 errors), TOP014 (no findings)"
        assert text.count(words) == 1, form
        assert "PFC is off" not in text, form
    assert "::warning file=rocefab.toml,line=2," in _report("github", IGNORED, ignored=ignored)
    option = Ignored(("QOS004",), Position("--ignore"))
    for form in sorted({*reports()} - {"gitlab"}):  # whose issues need a line
        assert "ignored by --ignore: QOS004 (2 errors)" in _report(form, IGNORED, ignored=option)


@pytest.mark.parametrize("form", sorted({*reports()} - {"markdown"}))  # a blank line ends it
def test_forms_end_with_one_newline(form: str) -> None:
    for outcome in (OUTCOME, EMPTY):
        text = _report(form, outcome)
        assert text.endswith("\n")
        assert not text.endswith("\n\n")


def test_a_clean_check_has_no_failure_unless_asked_for() -> None:
    words = ("check", str(ROOT / "inventory/demo"), "--format", "junit", "--fail-on")
    ended = run(*words, "error")
    assert ended.code == 0
    assert not ET.fromstring(ended.out).findall("testcase/failure")
    ended = run(*words, "info")
    assert ended.code == 4
    failed = ET.fromstring(ended.out).findall("testcase/failure")
    assert {one.get("type") for one in failed} >= {"info"}


def test_a_judged_file_is_where_its_findings_stand(tmp_path: Path) -> None:
    file = tmp_path / "config_db.json"
    file.write_text('{\n"PORT": {"Ethernet0": {"lanes": "1", "speed": "100000"}}}\n')
    ended = run("check", "--sonic-config", str(file), "--format", "sarif")
    results = _sarif(ended.out)["results"]
    assert results
    for result in results:
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == file.as_uri()


@pytest.mark.parametrize(
    ("place", "end"),
    [
        ((2, 3), (2, 13)),
        ((2, 15), (2, 21)),
        ((3, 9), (3, 17)),
        ((2, 5), (2, 6)),
        ((9, 1), (9, 2)),
    ],
    ids=["a key", "a value", "a value in quotes", "inside a word", "behind the end"],
)
def test_a_region_of_sarif_spans_the_word(
    tmp_path: Path, place: tuple[int, int], end: tuple[int, int]
) -> None:
    file = tmp_path / "fabric.yaml"
    file.write_text('ecn:\n  kmin_bytes: 150000\n  name: "a: b\\n"\n')
    finding = Finding("QOS004", Severity.ERROR, "x", position=Position(str(file), *place))
    log = json.loads(_report("sarif", Outcome((finding,), ("QOS004",), (), ())))
    (result,) = log["runs"][0]["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert (region["startLine"], region["startColumn"]) == place
    assert (region["endLine"], region["endColumn"]) == end
