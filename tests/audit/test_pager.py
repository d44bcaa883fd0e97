"""A capture with lines of a pager is refused: they end blocks, and what follows is misread."""

from __future__ import annotations

import pytest

from fabric.core.errors import InputError
from tests.audit.planting import rules_of
from tests.audit.test_bundles import TEXTS
from tests.cases import each

PAGERS = (
    "--More--",
    " --More-- \b\b\b\b    ",
    "  ---- More ----",
    "<--- More --->",
    "---(more 33%)---",
)


@each("system", TEXTS)
@pytest.mark.parametrize("pager", PAGERS)
def test_a_pager_is_refused(tmp_path, system: str, pager: str) -> None:
    lines = TEXTS[system][0].splitlines(keepends=True)
    text = "".join([*lines[:-2], f"{pager}\n", *lines[-2:]])
    with pytest.raises(InputError) as raised:
        rules_of(tmp_path, text)
    (finding,) = raised.value.findings
    assert finding.rule == "AUD019"
    assert f"a capture with a pager, as line {len(lines) - 1} shows" in finding.message


@each("system", TEXTS)
def test_words_of_a_pager_in_a_line_are_none(tmp_path, system: str) -> None:
    text = TEXTS[system][0].replace("leaf1", "leaf1--more--")
    assert "AUD002" not in rules_of(tmp_path, text)
