"""accept: the record of an acceptance, and its forms."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, replace
from html import escape
from typing import Any, Literal
from xml.etree import ElementTree as ET

from fabric.core.json_text import parse_json
from fabric.validate.report.junit import xml_text
from fabric.validate.report.markdown import plain

State = Literal["open", "passed", "failed", "skipped"]

#: Version of the record file.
FORMAT = "rocefab-acceptance-1"


@dataclass(frozen=True, slots=True)
class Step:
    """One test of an acceptance.

    Parameters
    ----------
    key : str
        Short name, for ``--only-step`` and ``--record``.
    estimate_s : float
        How long it is expected to take.
    commands : tuple of str
        What a person does who carries it out and records the result; empty where rocefab does.
    """

    key: str
    title: str
    estimate_s: float = 0.0
    commands: tuple[str, ...] = ()

    @property
    def by_hand(self) -> bool:
        """Whether a person carries it out."""
        return bool(self.commands)


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a step; ``lines`` are the failures, or what a person noted."""

    state: State = "open"
    summary: str = ""
    lines: tuple[str, ...] = ()
    started: str = ""
    ended: str = ""
    by: str = ""


@dataclass(frozen=True)
class Record:
    """The state of an acceptance.

    Parameters
    ----------
    inventory_sha256 : str
        Hash of the inventory that it is held against.
    results : dict of str to Result
        By key of the step.
    signed_by, signed_sha256 : str
        Who signed, and the hash of everything above; empty until then.
    """

    fabric: str
    inventory_sha256: str
    results: dict[str, Result] = field(default_factory=dict)
    signed_by: str = ""
    signed_sha256: str = ""

    def with_result(self, key: str, result: Result) -> Record:
        """Return the record with the result of a step; a signature does not survive it."""
        results = {**self.results, key: result}
        return replace(self, results=results, signed_by="", signed_sha256="")

    def digest(self) -> str:
        """Return the hash of everything that is signed."""
        data = asdict(self) | {"signed_by": "", "signed_sha256": ""}
        return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()

    def signed(self, name: str) -> Record:
        """Return the record with a signature."""
        return replace(self, signed_by=name, signed_sha256=self.digest())

    @property
    def signature_holds(self) -> bool:
        """Whether the record is the one that was signed."""
        return bool(self.signed_by) and self.signed_sha256 == self.digest()

    def to_json(self) -> str:
        """Return the record file."""
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Record:
        """Return the record of a file.

        Raises
        ------
        ValueError
            When it is not a record of this version.
        """
        data = parse_json(text)
        if not isinstance(data, dict) or data.pop("format", None) != FORMAT:
            raise ValueError(f"not a record of the form {FORMAT}")
        results = {
            key: Result(**{**result, "lines": tuple(result["lines"])})
            for key, result in data.pop("results").items()
        }
        return cls(**data, results=results)


@dataclass(frozen=True)
class Acceptance:
    """A record with its steps, for a report."""

    record: Record
    steps: tuple[Step, ...]

    def rows(self) -> list[tuple[str, str, str, str]]:
        """Return step, state, time and summary."""
        return [
            (step.key, result.state, result.ended, result.summary)
            for step in self.steps
            for result in [self.record.results.get(step.key, Result())]
        ]

    @property
    def failed(self) -> list[str]:
        """Steps that failed."""
        return [key for key, state, *_ in self.rows() if state == "failed"]

    @property
    def open(self) -> list[str]:
        """Steps that were not run."""
        return [key for key, state, *_ in self.rows() if state == "open"]

    def verdict(self) -> str:
        """Return the whole in one line."""
        if self.failed:
            return f"not accepted: {', '.join(self.failed)} failed"
        if self.open:
            return f"not complete: {', '.join(self.open)} not run"
        who = self.record.signed_by if self.record.signature_holds else ""
        return f"accepted, signed by {who}" if who else "all steps passed, not signed"


def markdown(acceptance: Acceptance) -> str:
    """Return the report for a wiki or a merge request."""
    lines = [f"# Acceptance of {plain(acceptance.record.fabric)}", "", acceptance.verdict(), ""]
    lines += ["| step | state | ended | result |", "|---|---|---|---|"]
    lines += [f"| {' | '.join(map(plain, row))} |" for row in acceptance.rows()]
    for step in acceptance.steps:
        result = acceptance.record.results.get(step.key, Result())
        if result.lines:
            lines += ["", f"## {step.title}", ""]
            lines += [f"- {plain(line)}" for line in result.lines]
    lines += ["", f"Inventory: sha256 {acceptance.record.inventory_sha256}"]
    if acceptance.record.signed_by:
        lines += [f"Signature: sha256 {acceptance.record.signed_sha256}"]
    return "\n".join([*lines, "", ""])


def html(acceptance: Acceptance) -> str:
    """Return the report as one page without scripts."""
    name = escape(acceptance.record.fabric)
    rows = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>"
        for row in acceptance.rows()
    )
    details = "".join(
        f"<h2>{escape(step.title)}</h2><ul>"
        + "".join(f"<li>{escape(line)}</li>" for line in result.lines)
        + "</ul>"
        for step in acceptance.steps
        for result in [acceptance.record.results.get(step.key, Result())]
        if result.lines
    )
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Acceptance of {name}'
        f"</title></head><body><h1>Acceptance of {name}</h1><p>{escape(acceptance.verdict())}</p>"
        "<table><tr><th>step</th><th>state</th><th>ended</th><th>result</th></tr>"
        f"{rows}</table>{details}<p>Inventory: sha256 {acceptance.record.inventory_sha256}<br>"
        f"Signature: {escape(acceptance.record.signed_sha256 or 'none')}</p></body></html>\n"
    )


def junit(acceptance: Acceptance) -> str:
    """Return one test case for each step."""
    suite = ET.Element("testsuite", name="rocefab accept", tests=str(len(acceptance.steps)))
    for step in acceptance.steps:
        result = acceptance.record.results.get(step.key, Result())
        case = ET.SubElement(suite, "testcase", classname="accept", name=step.title)
        if result.state == "failed":
            failure = ET.SubElement(case, "failure", message=xml_text(result.summary))
            failure.text = xml_text("\n".join(result.lines))
        elif result.state != "passed":
            ET.SubElement(case, "skipped", message=xml_text(result.summary) or "not run")
    suite.set("failures", str(len(acceptance.failed)))
    suite.set("errors", "0")
    ET.indent(suite)
    return ET.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def as_data(acceptance: Acceptance) -> dict[str, Any]:
    """Return plain data."""
    return {
        "format": FORMAT,
        "verdict": acceptance.verdict(),
        "steps": [asdict(step) for step in acceptance.steps],
        **asdict(acceptance.record),
    }
