"""docs/reference/formats.md lists the size that each kind of file may have, as the code has it."""

from __future__ import annotations

from pathlib import Path

from fabric.core.file_kinds import FileKind
from fabric.core.json_text import MAX_DEPTH, MOST_VALUES
from fabric.core.spans import MOST_NUMBERS
from fabric.validate.rule import rules

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "formats.md"
_BEGIN, _END = "<!-- sizes -->\n", "<!-- end of sizes -->\n"


def sizes() -> str:
    """Return the table of all kinds."""
    rows = "".join(
        f"| {kind.name.lower().replace('_', ' ')} | {kind.size} | {kind.why} |\n"
        for kind in FileKind
    )
    return f"| file | at most | why |\n|---|---|---|\n{rows}"


def test_every_kind_is_listed(update_golden: bool) -> None:
    text = PAGE.read_text()
    for limit in (MAX_DEPTH, MOST_VALUES, MOST_NUMBERS):
        assert f" {limit:,} " in text
    before, _, rest = text.partition(_BEGIN)
    listed, _, after = rest.partition(_END)
    if update_golden:
        PAGE.write_text(before + _BEGIN + sizes() + _END + after)
        return
    assert listed == sizes(), "run pytest with --update-golden and read the diff"


def test_the_readme_counts_the_rules() -> None:
    assert f"runs {len(rules)} rules" in (PAGE.parents[2] / "README.md").read_text()
