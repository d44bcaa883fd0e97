"""Planted incidents, alone and together: each is named, and no other device is blamed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each, examples
from tests.docs.blocks import judge as judge_block
from tests.health.confusion import are_apart, blamed, fate, is_possible, planted, table
from tests.health.planted import INCIDENTS

if TYPE_CHECKING:
    from tests.health.confusion import Case

PAGE = Path(__file__).parents[2] / "docs" / "judge.md"


@each("name", INCIDENTS)
def test_alone(name: str) -> None:
    for number in range(3):
        places, judgement, fabric = planted(((name, number),))
        assert fate(places[0], judgement, fabric) == "found"
        assert list(blamed(places, judgement)) == []


def test_the_table_of_the_page(update_golden: bool) -> None:
    """Alone and in pairs on one host or leaf: nothing is missed, nobody is blamed."""
    text = table()
    judge_block(PAGE, "confusion", text, update=update_golden)
    cells = text.splitlines()[-1].strip("| ").split(" | ")
    assert cells[-2:] == ["0", "0"]


@given(
    st.lists(
        st.tuples(st.sampled_from([*INCIDENTS]), st.integers(0, 31)), min_size=2, max_size=3
    ).filter(lambda case: is_possible(tuple(case)))
)
@examples(60)
def test_any_two_or_three(incidents: list[tuple[str, int]]) -> None:
    case: Case = tuple(incidents)
    places, judgement, fabric = planted(case)
    fates = {place: fate(place, judgement, fabric) for place in places}
    assert "missed" not in fates.values()
    assert list(blamed(places, judgement)) == []
    if are_apart(case):
        assert {*fates.values()} == {"found"}
