"""docs/speed.md and docs/scale.md: their figures are those of the file that a run has written."""

from __future__ import annotations

import json

import pytest

from tests.bench import figures as kept
from tests.bench.test_scale import CHANGED, COMMANDS, SIZES
from tests.docs.blocks import blocks, judge
from tests.docs.speed import GOALS_S, scale, speed
from tests.topology.fabrics import REPOSITORY

PAGES = {
    REPOSITORY / "docs" / "speed.md": speed,
    REPOSITORY / "docs" / "scale.md": scale,
}
CASES = [(page, name) for page, made in PAGES.items() for name in made]


@pytest.mark.parametrize(("page", "name"), CASES, ids=lambda one: getattr(one, "stem", one))
def test_block_is_what_the_run_measured(page, name, update_golden) -> None:
    judge(page, name, PAGES[page][name](), update=update_golden)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_block_has_a_function(page) -> None:
    assert set(blocks(page)) == set(PAGES[page])
    assert page.read_text().count("<!-- end of figures -->") == len(PAGES[page])


def test_every_command_was_measured_at_every_size() -> None:
    found = [(row["command"], row["hosts"]) for row in kept.read()["commands"]]
    assert found == [(name, 512 * pods) for pods in SIZES for name in (*COMMANDS, *CHANGED)]
    assert set(GOALS_S) <= set(COMMANDS)
    assert set(kept.read()["machine"]) == set(kept.machine())


def test_a_page_with_another_figure_is_seen(tmp_path) -> None:
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- figures: x -->\n1\n<!-- end of figures -->\nb\n")
    judge(page, "x", "1", update=False)
    with pytest.raises(AssertionError):
        judge(page, "x", "2", update=False)
    judge(page, "x", "2", update=True)
    assert page.read_text() == "a\n<!-- figures: x -->\n2\n<!-- end of figures -->\nb\n"


def test_a_run_that_lacks_a_part_keeps_nothing(tmp_path, monkeypatch) -> None:
    file = tmp_path / "figures.json"
    monkeypatch.setenv(kept.VARIABLE, str(file))
    whole = {"machine": {}, **{part: [{"n": 1}] for part in kept.PARTS}}
    kept.keep({**whole, "sites": []})
    assert not file.exists()
    kept.keep(whole)
    assert json.loads(file.read_text()) == whole
    monkeypatch.delenv(kept.VARIABLE)
    kept.keep({**whole, "more": 1})
    assert kept.read(file) == whole
