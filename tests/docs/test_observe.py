"""docs/observe.md lists every family of figures, as the code has it."""

from __future__ import annotations

from pathlib import Path

from tests.observe.test_samples import FAMILIES

PAGE = Path(__file__).parents[2] / "docs" / "observe.md"
_BEGIN, _END = "<!-- families -->\n", "<!-- end of families -->\n"


def families() -> str:
    """Return the table of all families."""
    rows = "".join(
        f"| `{family.name}` | {', '.join(family.labels) or '-'} | {family.text} |\n"
        for family in sorted(set(FAMILIES), key=lambda family: family.name)
    )
    return f"| family | labels | meaning |\n|---|---|---|\n{rows}"


def test_every_family_is_listed(update_golden: bool) -> None:
    before, _, rest = PAGE.read_text().partition(_BEGIN)
    listed, _, after = rest.partition(_END)
    if update_golden:
        PAGE.write_text(before + _BEGIN + families() + _END + after)
        return
    assert listed == families(), "run pytest with --update-golden and read the diff"
