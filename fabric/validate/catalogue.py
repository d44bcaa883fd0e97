"""The table of all rules, as Markdown, for ``docs/rules.md``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.platforms import platforms
from fabric.validate.rule import SiteRule, SonicRule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.validate.rule import Rule

_HEAD = """\
# Rules of `rocefab check`

Generated from the rules themselves; do not edit. Model rules check the inventory and the design
derived from it; site rules check it together with each other fabric of its site; CONFIG_DB rules
check any SONiC `config_db.json`. TOP001 to TOP007 and the INT rules are found while the inventory
is read and stop the run immediately.

"""
_SUBJECTS = {
    "ADR": "Addresses",
    "ARP": "Ageing and neighbour tables",
    "BGP": "Routing",
    "ECM": "ECMP load balancing",
    "HST": "Hosts",
    "JOB": "Jobs and containers",
    "QOS": "Lossless policy, end to end",
    "SIT": "Several fabrics of a site",
    "SON": "SONiC CONFIG_DB",
    "TOP": "Topology and cabling",
}


def markdown(rules: Sequence[Rule]) -> str:
    """Return the catalogue of the rules, one table for each subject."""
    parts = [_HEAD]
    known = [platforms[name] for name in platforms]
    limits = {p.rule_prefix: f"Limits of {p.title}" for p in known if p.rule_prefix}
    subjects = {**limits, **_SUBJECTS}
    for subject in sorted({rule.id[:3] for rule in rules}):
        parts.append(f"## {subject}: {subjects[subject]}\n\n")
        parts.append("| rule | checks | severity | title | why | source |\n")
        parts.append("|---|---|---|---|---|---|\n")
        parts += [_row(rule) for rule in rules if rule.id.startswith(subject)]
        parts.append("\n")
    return "".join(parts).rstrip("\n") + "\n"


def looks_at(rule: Rule) -> str:
    """Return what a rule judges, in a word."""
    kinds = {SonicRule: "CONFIG_DB", SiteRule: "site"}
    return next((word for kind, word in kinds.items() if isinstance(rule, kind)), "model")


def _row(rule: Rule) -> str:
    cells = (rule.id, looks_at(rule), rule.severity.word, rule.title, rule.why, rule.source)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"
