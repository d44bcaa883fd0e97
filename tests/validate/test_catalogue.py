"""The rule catalogue in the documentation is the one of the code."""

from __future__ import annotations

from fabric.report.rules import every_rule
from fabric.validate.catalogue import markdown
from tests.validate.worlds import ROOT

PAGE = ROOT / "docs" / "reference" / "rules.md"


def test_page_is_up_to_date(update_golden: bool) -> None:
    text = markdown(every_rule())
    if update_golden:
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(text)
    assert PAGE.read_text() == text, "run pytest with --update-golden and read the diff"


def test_every_rule_has_a_row() -> None:
    text = markdown(every_rule())
    assert all(f"\n| {rule.id} | " in text for rule in every_rule())
