"""explain: which inventory value, rule and source a line of the output comes from."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NoReturn

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.defects.fact import OURS
from fabric.platforms import platforms
from fabric.render.explain import (
    SEPARATORS,
    Explanation,
    PlacedLine,
    explain_lines,
    known,
)
from fabric.report.budget import port_of_budget
from fabric.report.deciding import decided, values_of
from fabric.report.explain_classes import of_classes
from fabric.report.explain_fields import fields_like, lines_of_field, names_field
from fabric.report.explain_notes import value_note
from fabric.report.explain_ports import is_port_name, lines_of_port
from fabric.report.explain_unrendered import unrendered
from fabric.report.rules import is_rule_id
from fabric.topology.naming import port_hint
from fabric.validate.runner import all_rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fabric.core.artefact import Artefact
    from fabric.design.designs import Designs
    from fabric.report.explain_values import Value

#: Beginning of the templates for the NICs of one driver.
_NIC_TEMPLATES = "host/nic_"
#: Beginning of the ids of rules that speak of hosts alone.
_HOST_RULES = {"HST": "host"}


@dataclass(frozen=True)
class Answer:
    """What is known of one line of the output, or of one kind of lines.

    ``section`` has the lines that hold it, outermost first; on SONiC its table. ``note`` says how
    a printed value comes from those of the inventory, where it is another one. ``line`` and
    ``template`` are empty for a field that the system does not render; ``subject`` is then the
    field.
    """

    subject: str
    line: str
    values: tuple[Value, ...]
    rules: tuple[str, ...]
    template: str
    source: str
    section: tuple[str, ...] = ()
    note: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        values = [{"field": v.field, "value": v.value, "where": v.where} for v in self.values]
        return {**asdict(self), "values": values}


def explain(designs: Designs, device: str, artefacts: list[Artefact], text: str) -> list[Answer]:
    """Return what is known of the lines that hold ``text``; of every kind of line without one.

    Parameters
    ----------
    designs : Designs
        The inventory and what follows from it.
    device : str
        Name of a switch or host.
    artefacts : list of Artefact
        What is rendered for the device.
    text : str
        A table, field or line of its configuration, or a field of the inventory; empty for every
        kind of line.

    Raises
    ------
    InputError
        When no line holds the text, and no field of that name decides one; or when the text is
        the name of a port that the switch does not have.
    """
    platform = _platform(designs, device)
    first = partial(_first, designs, device)
    if not text:
        kinds: dict[Explanation, PlacedLine] = {}
        for line, known_of in explain_lines(platform, artefacts, ""):
            for entry in first(known_of):
                kinds.setdefault(entry, line)
        return _answers(designs, device, ((line, entry) for entry, line in kinds.items()))
    if text.strip() in SEPARATORS:
        message = f"{text.strip()!r} separates lines of {device} and sets nothing"
        raise nothing_to_explain(message, "explain a line next to it")
    matches = explain_lines(platform, artefacts, text)
    if is_port_name(designs, device, text):
        matches = lines_of_port(matches, text)
        if not matches:
            raise _no_port(designs, device, text)
    lines = ((line, entry) for line, known_of in matches for entry in first(known_of))
    return (
        _answers(designs, device, lines)
        or _of_field(designs, device, artefacts, text)
        or _in_other_letters(designs, device, artefacts, text)
        or _unrendered(designs, device, text)
        or _nothing(designs, device, text)
    )


def _first(designs: Designs, device: str, known_of: Sequence[Explanation]) -> Sequence[Explanation]:
    """Return the nearest explanation, none about NICs of another driver than those of a host."""
    own = ""
    if device in designs.hosts:
        driver = designs.hosts[device].traits.nic.driver.replace("-", "_")
        own = f"{_NIC_TEMPLATES}{driver}.j2"
    others = (_NIC_TEMPLATES,) if own else ()
    return [
        entry
        for entry in known_of
        if entry.template == own or not entry.template.startswith(others)
    ][:1]


def _answers(
    designs: Designs, device: str, lines: Iterable[tuple[PlacedLine, Explanation]]
) -> list[Answer]:
    return [_answer(designs, device, line, entry) for line, entry in lines]


def _no_port(designs: Designs, device: str, text: str) -> InputError:
    fix = port_hint(designs.devices[device].sku, text)
    return nothing_to_explain(f"{device} has no port {text!r}", fix)


def _of_field(designs: Designs, device: str, artefacts: list[Artefact], name: str) -> list[Answer]:
    """Return what is known of the lines that a field of the inventory decides."""
    platform = _platform(designs, device)
    first = partial(_first, designs, device)
    lines = (
        (line, entry)
        for line, entry in lines_of_field(platform, artefacts, name, first)
        if names_field(of_classes(designs, device, "", line.text, entry), name)
    )
    return _answers(designs, device, lines)


def _in_other_letters(
    designs: Designs, device: str, artefacts: list[Artefact], text: str
) -> list[Answer]:
    """Return what is known of the lines that hold a text in capitals or small letters."""
    spelt = re.compile(re.escape(text), re.IGNORECASE)
    spellings = sorted({word for one in artefacts for word in spelt.findall(one.text)} - {text})
    found = [answer for word in spellings for answer in explain(designs, device, artefacts, word)]
    return list({answer.subject: answer for answer in found}.values())


def _unrendered(designs: Designs, device: str, name: str) -> list[Answer]:
    """Return the fields of that name whose values the system of a switch does not render."""
    return [
        Answer(
            subject=one.field,
            line="",
            values=one.values,
            rules=_rules((one.field,), _platform(designs, device)),
            template="",
            source=one.source,
            note=one.note,
        )
        for one in unrendered(designs, device, name)
    ]


def _nothing(designs: Designs, device: str, text: str) -> NoReturn:
    if is_rule_id(text):
        message = f"{text} is a rule, no line of {device}"
        raise nothing_to_explain(message, f"`rocefab explain {text}` shows it")
    message = f"no line of {device} contains {text!r}, and no field of that name decides one"
    raise nothing_to_explain(message, _instead(designs, device, text))


def _instead(designs: Designs, device: str, name: str) -> str:
    """Return what to ask in place of a name that nothing of a device has."""
    near = " or ".join(map(repr, fields_like(_platform(designs, device), name)))
    question = f"did you mean {near}? " if near else ""
    switch, port = port_of_budget(designs, device, name)
    budget = f"`rocefab explain INVENTORY {switch} {port}` shows it for a port; " if port else ""
    lines = f"`rocefab explain INVENTORY {device}` lists each kind of line with its fields"
    return f"{question}{budget}{lines}; `rocefab render` shows all lines"


def answer_line(designs: Designs, device: str, line: PlacedLine, text: str) -> Answer | None:
    """Return what is known of ``text`` in a line of a device's output; None where nothing is."""
    for entry in _first(designs, device, known(_platform(designs, device), line, text)):
        return _answer(designs, device, line, entry)
    return None


def nothing_to_explain(message: str, fix: str) -> InputError:
    """Return the error of a device or a line that does not exist."""
    return InputError("nothing to explain", [Finding("EXP001", Severity.ERROR, message, fix)])


def _answer(designs: Designs, device: str, placed: PlacedLine, entry: Explanation) -> Answer:
    line = placed.text.strip()
    spot, entry = decided(designs, device, placed, entry)
    return Answer(
        subject=f"{placed.artefact}:{placed.number}",
        line=line,
        values=tuple(value for _, value in values_of(designs, device, line, entry.fields, spot)),
        rules=_rules(entry.fields, _platform(designs, device)),
        template=f"templates/{entry.template}",
        source=entry.source,
        section=placed.section,
        note=value_note(designs, device, entry.fields),
    )


@cache
def _rules(fields: tuple[str, ...], platform: str) -> tuple[str, ...]:
    """Return the ids of the rules that guard one of the fields on a platform."""
    return tuple(
        rule.id
        for rule in all_rules()
        if set(rule.guards) & set(fields)
        and not rule.id.startswith(OURS)  # a known defect explains no line
        and _rules_of_one_platform().get(rule.id[:3], platform) == platform
    )


@cache
def _rules_of_one_platform() -> dict[str, str]:
    own = {platform.rule_prefix: name for name, platform in platforms.items()}
    return {**own, **_HOST_RULES}


def _platform(designs: Designs, device: str) -> str:
    return designs.devices[device].platform if device in designs.devices else "host"
