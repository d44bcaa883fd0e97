"""The figures of docs/reference/speed.md are those of the file that a run has written."""

from __future__ import annotations

import pytest

from tests.bench import figures as kept
from tests.bench.test_scale import CHANGED, COMMANDS, SIZES
from tests.docs.blocks import blocks, judge
from tests.docs.speed import GOALS_S, TITLES, speed
from tests.topology.fabrics import REPOSITORY

PAGE = REPOSITORY / "docs" / "reference" / "speed.md"


@pytest.mark.parametrize("name", list(speed))
def test_block_is_what_the_run_measured(name, update_golden) -> None:
    judge(PAGE, name, speed[name](), update=update_golden)


def test_every_block_has_a_function() -> None:
    assert set(blocks(PAGE)) == set(speed)
    assert PAGE.read_text().count("<!-- end of figures -->") == len(blocks(PAGE))


def test_every_part_was_measured_and_every_command_at_every_size() -> None:
    figures = kept.read()
    assert set(figures) == set(kept.PARTS) >= set(TITLES)
    assert all(set(part["machine"]) == set(kept.machine()) for part in figures.values())
    found = [(row["command"], row["hosts"]) for row in figures["commands"]["rows"]]
    assert found == [(name, 512 * pods) for pods in SIZES for name in (*COMMANDS, *CHANGED)]
    assert {name for goals in GOALS_S.values() for name in goals} <= {*COMMANDS, *CHANGED}


def test_a_page_with_another_figure_is_seen(tmp_path) -> None:
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- figures: x -->\n1\n<!-- end of figures -->\nb\n")
    judge(page, "x", "1", update=False)
    with pytest.raises(AssertionError):
        judge(page, "x", "2", update=False)
    judge(page, "x", "2", update=True)
    assert page.read_text() == "a\n<!-- figures: x -->\n2\n<!-- end of figures -->\nb\n"


def test_a_run_replaces_the_parts_that_it_measured(tmp_path, monkeypatch) -> None:
    file = tmp_path / "figures.json"
    kept.keep({"sites": [{"n": 1}]}, {"cpu": "x"})
    assert not file.exists()
    monkeypatch.setenv(kept.VARIABLE, str(file))
    kept.keep({"sites": [], "larger": []}, {"cpu": "x"})
    assert not file.exists()
    kept.keep({"sites": [{"n": 1}], "larger": [{"n": 2}]}, {"cpu": "x"})
    kept.keep({"sites": [{"n": 3}], "larger": []}, {"cpu": "y"})
    assert kept.read(file) == {
        "sites": {"machine": {"cpu": "y"}, "rows": [{"n": 3}]},
        "larger": {"machine": {"cpu": "x"}, "rows": [{"n": 2}]},
    }
