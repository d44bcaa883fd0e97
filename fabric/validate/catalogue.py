"""The table of all rules, as Markdown, for ``docs/reference/rules.md``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.platforms import platforms
from fabric.validate.rule import DescribedRule, FileRule, SiteRule, areas

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.validate.rule import Rule

_HEAD = """\
# Rules of `rocefab check`, `prove`, `audit` and `judge`

Generated from the rules themselves; do not edit. Model rules check the inventory and the design
derived from it; site rules check it together with each other fabric of its site; CONFIG_DB rules
check any SONiC `config_db.json`; files rules check configuration files of switches; readings rules
are the verdicts of `judge` on running devices. TOP001 to TOP008 and the INT rules are found while
the inventory is read and stop the run immediately.

"""


def markdown(rules: Sequence[Rule]) -> str:
    """Return the catalogue of the rules, one table for each subject."""
    parts = [_HEAD]
    for subject in sorted({rule.id[:3] for rule in rules}):
        parts.append(f"## {subject}: {_title(subject)}\n\n")
        parts.append("| rule | checks | severity | title | why | source |\n")
        parts.append("|---|---|---|---|---|---|\n")
        parts += [_row(rule) for rule in rules if rule.id.startswith(subject)]
        parts.append("\n")
    return "".join(parts).rstrip("\n") + "\n"


def _title(area: str) -> str:
    """Return what the rules of an area are about: one system, or what the area registers."""
    systems = (platforms[name] for name in platforms if area not in areas)
    own = next((one.title for one in systems if one.rule_prefix == area), None)
    return f"Limits of {own}" if own else areas[area]


def looks_at(rule: Rule) -> str:
    """Return what a rule judges, in a word."""
    if isinstance(rule, DescribedRule | FileRule):
        return rule.looks_at
    return "site" if isinstance(rule, SiteRule) else "model"


def _row(rule: Rule) -> str:
    cells = (rule.id, looks_at(rule), rule.severity.word, rule.title, rule.why, rule.source)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"
