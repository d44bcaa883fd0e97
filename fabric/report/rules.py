"""show rules RULE: all that one rule of `check` says of itself."""

from __future__ import annotations

import difflib
import re

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.report.table import Table
from fabric.validate.catalogue import looks_at
from fabric.validate.runner import all_rules

_ID = re.compile(r"[A-Z]{3}\d{3}")


def rules() -> Table:
    """Return the rules of ``check``."""
    rows = tuple((rule.id, rule.severity.word, rule.title) for rule in all_rules())
    return Table(("rule", "severity", "title"), rows)


def is_rule_id(word: str) -> bool:
    """Tell whether a word is written as the rules are: QOS024."""
    return bool(_ID.fullmatch(word)) and any(rule.id[:3] == word[:3] for rule in all_rules())


def rule_details(name: str) -> Table:
    """Return what a rule is: title, severity, subject, reason, source and fields.

    Raises
    ------
    InputError
        When there is no such rule.
    """
    known = {rule.id: rule for rule in all_rules()}
    rule = known.get(name.upper())
    if rule is None:
        raise _unknown(name, list(known))
    rows = (
        ("rule", rule.id),
        ("title", rule.title),
        ("severity", rule.severity.word),
        ("checks", looks_at(rule)),
        ("why", rule.why),
        ("source", rule.source),
        ("fields", ", ".join(rule.guards) or "-"),
    )
    return Table(("fact", "value"), rows)


def _unknown(name: str, known: list[str]) -> InputError:
    close = difflib.get_close_matches(name.upper(), known, n=3)
    fix = f"did you mean {' or '.join(close)}?" if close else "`rocefab show rules` lists them"
    finding = Finding("INT022", Severity.ERROR, f"unknown rule {name!r}", fix)
    return InputError("unknown rule", [finding])
