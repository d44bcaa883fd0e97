"""docs/observe.md lists the series of the plan and every alert, as the files have them."""

from __future__ import annotations

from pathlib import Path

import yaml

from fabric.report.exposition_plan import PLANNED
from fabric.report.newest import FINDING

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "observe.md"
RULES = ROOT / "templates" / "prometheus" / "rules.yml"


def plan() -> str:
    rows = "".join(
        f"| `{family.name}` | {', '.join(family.labels)} | {family.text} |\n"
        for family in sorted((*PLANNED, FINDING), key=lambda family: family.name)
    )
    return f"| family | labels | meaning |\n|---|---|---|\n{rows}"


def alerts() -> str:
    rules = [
        rule
        for group in yaml.safe_load(RULES.read_text())["groups"]
        for rule in group["rules"]
        if "alert" in rule
    ]
    rows = "".join(
        f"| `{rule['alert']}` | {rule['labels']['severity']} | {rule['labels'].get('health', '-')} "
        f"| {rule.get('for', '0')} | {_plain(rule['annotations']['summary'])} |\n"
        for rule in rules
    )
    return f"| alert | severity | health | after | summary |\n|---|---|---|---|---|\n{rows}"


def _plain(text: str) -> str:
    """Return a summary with its labels in capitals."""
    for name in ("device", "port", "queue", "priority_group", "priority", "direction"):
        text = text.replace(f"{{{{ $labels.{name} }}}}", name.upper())
    for name in ("reading", "peer", "table", "rule"):
        text = text.replace(f"{{{{ $labels.{name} }}}}", name.upper())
    return text.replace("{{ $value | humanizePercentage }}", "N %")


def test_series_and_alerts_are_listed(update_golden: bool) -> None:
    text = PAGE.read_text()
    for name, wanted in (("plan", plan()), ("alerts", alerts())):
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
        before, _, rest = text.partition(begin)
        listed, _, after = rest.partition(end)
        if update_golden:
            text = before + begin + wanted + end + after
        else:
            assert listed == wanted, "run pytest with --update-golden and read the diff"
        assert "{{" not in wanted
    if update_golden:
        PAGE.write_text(text)
