"""From a pydantic error to findings that a person can act on."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from fabric.core.findings import Finding, Position, Severity
from fabric.core.shown import Path, bare, closest, field_text, listed
from fabric.intent.error_words import (
    CHOICE,
    MISSING,
    TYPE,
    UNKNOWN,
    Words,
    either,
    in_words,
    is_mismatch,
)
from fabric.intent.model_paths import Spot, field_names, fields_below, locate, paths_below, value_at
from fabric.intent.quantities import asplain_fix, number_for

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pydantic import BaseModel, ValidationError

    from fabric.intent.yaml.file import Document

_NO_MAPPING = ("model_type", "model_attributes_type")
_UNKNOWN_TYPES = ("extra_forbidden", "invalid_key")
_MOST_FIELDS = 12
_MOST_ALIKE = 3
#: Fields of a path that an unknown name is looked for at, and of one through lists; ours.
_DEPTH, _DEEPEST = 3, 4
_CURLY = "\u201c\u201d\u201e\u2018\u2019"


@dataclass(slots=True)
class _Fault:
    """One error of pydantic, brought to its place in the document."""

    error: Mapping[str, Any]
    spot: Spot
    others: list[Mapping[str, Any]] = field(default_factory=list)
    suggestion: str | None = None
    elsewhere: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        return str(self.error["type"])


def explain(
    error: ValidationError, document: Document, model: type[BaseModel], prefix: Path = ()
) -> list[Finding]:
    """Return the findings for all that a model has against a document.

    Parameters
    ----------
    error : ValidationError
        What ``model.model_validate(document.data)`` raised.
    document : Document
        The document that was validated.
    model : type of BaseModel
        The model that rejected it.
    prefix : tuple of str or int
        Name of the document in field paths, such as ``("fabric",)``.

    Returns
    -------
    list of Finding
        Sorted by position; at least one.
    """
    faults = _faults(error, model, document.data)
    findings = {_finding(fault, document, prefix): None for fault in faults}
    return sorted(findings, key=_order)


def worded(
    error: ValidationError, model: type[BaseModel], data: object, most: int | None = None
) -> Iterator[tuple[Path, Words]]:
    """Yield the path of each field that a model has something against, and what it is.

    Parameters
    ----------
    data : object
        What was validated, wherever it comes from.
    most : int or None
        Errors of pydantic that are looked at, where others choose how many there are.
    """
    for fault in _faults(error, model, data, most):
        path = fault.spot.path
        yield path, _words(fault, path, value_at(data, path, fault.error.get("input")))


def _faults(
    error: ValidationError, model: type[BaseModel], data: object, most: int | None = None
) -> list[_Fault]:
    errors = error.errors(include_url=False)[:most]
    faults = [_Fault(item, locate(item["loc"], model, data)) for item in errors]
    faults = [fault for fault in faults if not _only_seems_short(fault, data)]
    narrowed = _pair_misspelt(_narrow(faults, 0), data)
    for fault in narrowed:
        if fault.kind in _UNKNOWN_TYPES:
            fault.elsewhere = _elsewhere(str(fault.spot.path[-1]), model)
    return narrowed


@cache
def _places(model: type[BaseModel], *, through_lists: bool) -> dict[str, str]:
    """Return the last name of each field of a file, by its place."""
    depth = _DEEPEST if through_lists else _DEPTH
    paths = paths_below(model, depth, through_lists=through_lists)
    return {".".join(map(str, path)): str(path[-1]) for path in paths}


def _elsewhere(name: str, model: type[BaseModel]) -> tuple[str, ...]:
    """Return the fields of a file that have a name in another place, or the word that it is.

    In lists, a field of one thing may stand for a name of several, and the other way round.
    """
    places = _places(model, through_lists=False)
    same = [place for place, last in places.items() if last == name]
    alike = [place for place, last in places.items() if name in last.split("_")]
    within = _places(model, through_lists=True).items()
    listed_too = [place for place, last in within if last.rstrip("s") == name.rstrip("s")]
    some = (same, alike, listed_too)
    return tuple(next((every for every in some if 0 < len(every) <= _MOST_ALIKE), ()))


def _only_seems_short(fault: _Fault, data: object) -> bool:
    """Say whether a list is long enough as written: pydantic counts only the items that are right.

    Seen with pydantic 2 in tuples of any length; the items have errors of their own.
    """
    if fault.kind != "too_short":
        return False
    value = value_at(data, fault.spot.path)
    return isinstance(value, list) and len(value) >= fault.error["ctx"]["min_length"]


def _order(finding: Finding) -> tuple[Position, str, str]:
    return finding.position or Position(""), finding.field, finding.message


def _finding(fault: _Fault, document: Document, prefix: Path) -> Finding:
    spot = fault.spot
    path = spot.path
    tag_field = _tag_field(fault)
    if tag_field:
        path = (*path, tag_field)
    value = value_at(document.data, path, fault.error.get("input"))
    words = _words(fault, path, value)
    scalar = not isinstance(value, list | dict)
    on_value = scalar and not spot.on_key and words.rule not in (UNKNOWN, MISSING)
    position = document.value_position(path) if on_value else document.position(path)
    return Finding(
        words.rule,
        Severity.ERROR,
        words.message,
        words.fix,
        field=field_text((*prefix, *path)),
        position=position,
    )


def _tag_field(fault: _Fault) -> str | None:
    """Return the field that tells the members of a union apart, when the error is about it."""
    name = str(fault.error.get("ctx", {}).get("discriminator", ""))
    return name.strip("'") if name.startswith("'") else None


def _words(fault: _Fault, path: Path, value: object) -> Words:
    if fault.kind in _UNKNOWN_TYPES:
        return _unknown(fault)
    if fault.kind == "missing" and path and isinstance(path[-1], int):
        return Words(MISSING, f"item {path[-1] + 1} of the list is missing", "add it")
    if fault.kind == "missing" or (fault.kind == "union_tag_not_found" and _tag_field(fault)):
        return Words(MISSING, "required field is missing", f"add {bare(path[-1])}")
    if fault.spot.on_key:
        key = path[-1] if path else None
        words = in_words(fault.error, key)
        return words._replace(message=f"wrong key: {words.message}")
    words = either(fault.others, value) if fault.others else in_words(fault.error, value)
    if isinstance(value, str) and value[:1] in _CURLY and value:
        return words._replace(fix="use straight quotes: \" or '")
    if keys := fields_below(fault.spot) if fault.kind in _NO_MAPPING else []:
        return words._replace(fix=f"set its keys below it: {listed(keys[:_MOST_FIELDS], 'and')}")
    return _with_number(words, path, value)


def _with_number(words: Words, path: Path, value: object) -> Words:
    """Name the number that is meant where a field of a number has text."""
    name = next((part for part in reversed(path) if isinstance(part, str)), "")
    if words.rule == TYPE and (fix := asplain_fix(name, value)):
        return words._replace(fix=fix)
    meant = number_for(name, value) if words.rule in (TYPE, CHOICE) else None
    if meant is None:
        return words
    number, unit = meant
    if words.rule == CHOICE and not re.search(rf"\b{number}\b", words.fix):
        return words
    return words._replace(fix=f"use {number}: {unit}")


def _unknown(fault: _Fault) -> Words:
    if fault.suggestion:
        return Words(UNKNOWN, "unknown field", f"did you mean '{fault.suggestion}'?")
    names = field_names(fault.spot.owner) if fault.spot.owner else []
    word = str(fault.spot.path[-1]).partition("_")[0]
    alike = [repr(name) for name in names if word in name.split("_")]
    if 0 < len(alike) <= _MOST_ALIKE:
        return Words(UNKNOWN, "unknown field", f"did you mean {listed(alike)}?")
    if fault.elsewhere:
        places = listed([f"'{place}'" for place in fault.elsewhere])
        return Words(UNKNOWN, "unknown field in this place", f"did you mean {places}?")
    if 0 < len(names) <= _MOST_FIELDS:
        return Words(UNKNOWN, "unknown field", f"remove it; known fields: {listed(names, 'and')}")
    return Words(UNKNOWN, "unknown field", "remove it")


def _pair_misspelt(faults: list[_Fault], data: object) -> list[_Fault]:
    """Give each unknown field its suggestion, and drop the missing field that it stands for."""
    missing = {fault.spot.path: fault for fault in faults if fault.kind == "missing"}
    for fault in faults:
        if fault.kind not in _UNKNOWN_TYPES or fault.spot.owner is None:
            continue
        parent, name = fault.spot.path[:-1], str(fault.spot.path[-1])
        fields = value_at(data, parent)
        present = fields if isinstance(fields, dict) else {}
        absent = [one for one in field_names(fault.spot.owner) if one not in present]
        needed = [one for one in absent if (*parent, one) in missing]
        fault.suggestion = (
            closest(name, needed) or closest(name, absent) or _of_first_word(name, absent)
        )
        missing.pop((*parent, fault.suggestion or ""), None)
    return [fault for fault in faults if fault.kind != "missing" or fault.spot.path in missing]


def _of_first_word(name: str, fields: Sequence[str]) -> str | None:
    """Return the only field that begins with the first word of a name."""
    first = name.partition("_")[0]
    alike = [field for field in fields if field.partition("_")[0] == first]
    return alike[0] if len(alike) == 1 else None


def _narrow(faults: Sequence[_Fault], depth: int) -> list[_Fault]:
    """Keep, of each untagged union, only the errors of the member that was probably meant."""
    kept: list[_Fault] = []
    groups: dict[Path, list[_Fault]] = {}
    for fault in faults:
        if len(fault.spot.unions) <= depth:
            kept.append(fault)
        else:
            groups.setdefault(fault.spot.unions[depth][0], []).append(fault)
    for path, group in groups.items():
        kept += _meant(group, path, depth)
    return kept


def _meant(group: list[_Fault], path: Path, depth: int) -> list[_Fault]:
    members: dict[str, list[_Fault]] = {}
    for fault in group:
        members.setdefault(fault.spot.unions[depth][1], []).append(fault)
    fitting = [
        faults
        for faults in members.values()
        if not any(fault.spot.path == path and is_mismatch(fault.kind) for fault in faults)
    ]
    if fitting:
        return _narrow(min(fitting, key=len), depth + 1)
    first = group[0]
    return [_Fault(first.error, first.spot, others=[fault.error for fault in group])]
