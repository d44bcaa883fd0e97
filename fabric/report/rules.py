"""show rules: the rules of `check`, `prove`, `audit`, `judge` and `drift`, and their words."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

from fabric.audit.pair_rules import PAIR_RULES
from fabric.audit.rules import AUDIT_RULES
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity, advised
from fabric.prove.rules import PROOF_RULES
from fabric.report.drifts import DRIFT_RULES
from fabric.report.table import Table
from fabric.report.verdicts import VERDICT_RULES
from fabric.validate.catalogue import looks_at
from fabric.validate.runner import all_rules
from fabric.validate.waivers import WAIVER_RULES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.defects.fact import Fact
    from fabric.validate.rule import Rule

_ID = re.compile(r"[A-Z]{3}\d{3}")
#: What a person may have meant as an id of a rule; a host may have such a name.
_LIKE_ID = re.compile(r"[A-Z]{3}-?\d+")
#: Checks of NICs, which `verify` and `drift` name.
_OF_NICS = re.compile(r"H\d{1,2}")


def every_rule() -> list[Rule]:
    """Return the rules of all verbs, by id."""
    tables = (PROOF_RULES, AUDIT_RULES, PAIR_RULES, WAIVER_RULES, VERDICT_RULES, DRIFT_RULES)
    described = [rule for table in tables for rule in table.values()]
    return sorted([*all_rules(), *described], key=lambda rule: rule.id)


def severities(own: Iterable[Fact]) -> dict[str, Severity]:
    """Return the lowest severity of the rules of all verbs, and of an inventory's facts, by id."""
    levels = {rule.id: rule.lesser or rule.severity for rule in every_rule()}
    return {**levels, **{fact.id: fact.level for fact in own}}


def rules() -> Table:
    """Return the rules of all verbs."""
    rows = tuple((rule.id, rule.severity.word, rule.title) for rule in every_rule())
    return Table(("rule", "severity", "title"), rows)


def is_rule_id(word: str) -> bool:
    """Tell whether a word is written as the rules are: QOS024."""
    return bool(_ID.fullmatch(word)) and any(rule.id[:3] == word[:3] for rule in every_rule())


def is_like_rule_id(word: str) -> bool:
    """Tell whether a word may be meant as the id of a rule."""
    known = any(rule.id[:3] == word[:3].upper() for rule in every_rule())
    return bool(_LIKE_ID.fullmatch(word.upper() if known else word) or _OF_NICS.fullmatch(word))


def rule_details(name: str) -> Table:
    """Return what a rule is: title, severity, subject, reason, source and fields.

    Raises
    ------
    InputError
        When there is no such rule.
    """
    known = {rule.id: rule for rule in every_rule()}
    rule = known.get(name.upper())
    if rule is None:
        raise no_rule(name)
    rows = (
        ("rule", rule.id),
        ("title", rule.title),
        ("severity", " or ".join(one.word for one in (rule.severity, rule.lesser) if one)),
        ("checks", looks_at(rule)),
        ("why", rule.why),
        ("source", rule.source),
        ("fields", ", ".join(rule.guards) or "-"),
    )
    return Table(("fact", "value"), rows)


def no_rule(name: str) -> InputError:
    """Return the error that there is no rule of a name."""
    if _OF_NICS.fullmatch(name):
        fix = "docs/hosts.md#verify-and-drift lists these checks"
        finding = Finding("INT022", Severity.ERROR, f"{name} is a check of NICs, not a rule", fix)
        return InputError("unknown rule", [finding])
    family, digits = name[:3].upper(), name[3:].removeprefix("-")
    whole = f"{family}{digits.zfill(3)}"
    ids = [rule.id for rule in every_rule()]
    close = [whole] if whole in ids else difflib.get_close_matches(name.upper(), ids, n=3)
    meant = f"did you mean {' or '.join(close)}?" if close else ""
    fix = advised(meant, "`rocefab show rules` lists them")
    finding = Finding("INT022", Severity.ERROR, f"unknown rule {name!r}", fix)
    return InputError("unknown rule", [finding])
