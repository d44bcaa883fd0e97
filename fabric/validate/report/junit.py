"""Findings as JUnit XML, as Jenkins reads it (jenkinsci/xunit-plugin junit-10.xsd)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from fabric.validate.report import report_forms

if TYPE_CHECKING:
    from fabric.core.findings import Finding
    from fabric.validate.reported import Reported
    from fabric.validate.runner import Outcome

#: What XML 1.0 (section 2.2, Char) has no way to write.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_IDLE = "not applicable, or ignored"
_STOPPED = "did not run: the check stopped earlier"


@report_forms.add("junit")
def junit(reported: Reported) -> str:
    """Return one test case per rule, with at most one result.

    Findings from the wanted severity on are its failure; others are its output. A rule that broke
    is an error, one that did not run is skipped.
    """
    outcome = reported.outcome
    by_rule: dict[str, list[Finding]] = {}
    for finding in outcome.findings:
        by_rule.setdefault(finding.rule, []).append(finding)
    titles = {rule.id: rule.title for rule in reported.rules}
    suite = ET.Element("testsuite", name=f"rocefab {reported.verb}")
    for name in sorted({*titles, *by_rule, *dict(outcome.broken)}):
        label = f"{name} {titles[name]}" if name in titles else name
        case = ET.SubElement(suite, "testcase", classname="rocefab", name=label)
        _result(case, name, by_rule.get(name, []), reported)
    suite.set("tests", str(len(suite.findall("testcase"))))
    for word, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(word, str(len(suite.findall(f"testcase/{kind}"))))
    if reported.remarks:
        ET.SubElement(suite, "system-out").text = xml_text("\n".join(reported.remarks))
    ET.indent(suite)
    return ET.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def _result(case: ET.Element, name: str, findings: list[Finding], reported: Reported) -> None:
    outcome = reported.outcome
    bad = [finding for finding in findings if finding.severity >= reported.fail_on]
    others = [finding for finding in findings if finding.severity < reported.fail_on]
    broken = dict(outcome.broken)
    if name in broken:
        _add(case, "error", broken[name], bad).set("type", "broken")
    elif bad:
        more = f" (and {len(bad) - 1} more)" if len(bad) > 1 else ""
        _add(case, "failure", f"{bad[0].sentence}{more}", bad).set("type", bad[0].severity.word)
    elif name in outcome.skipped or name in outcome.partly or not _ran(name, findings, outcome):
        reason = findings[0].sentence if findings else reported.idle.get(name, _IDLE)
        stopped = name not in outcome.skipped and name not in outcome.partly
        _add(case, "skipped", _STOPPED if stopped else reason, [])
    lines = [f"{one.severity.word}: {one}" for one in others]
    lines += [str(one) for one in outcome.waived if one.finding.rule == name]
    if lines:
        ET.SubElement(case, "system-out").text = xml_text("\n".join(lines))


def _ran(name: str, findings: list[Finding], outcome: Outcome) -> bool:
    return bool(findings) or name in outcome.checked


def _add(case: ET.Element, kind: str, message: str, findings: list[Finding]) -> ET.Element:
    result = ET.SubElement(case, kind, message=xml_text(message))
    if findings:
        result.text = _lines(findings)
    return result


def _lines(findings: list[Finding]) -> str:
    return xml_text("\n".join(f"{one.severity.word}: {one}" for one in findings))


def xml_text(text: str) -> str:
    """Return a text in which each character that XML cannot hold is a question mark."""
    return _NOT_XML.sub("?", text)
