"""The samples of each system value by value, and damaged: unreadable, or nothing that is untrue."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each
from tests.observe.test_damage import OUTPUTS as OTHERS
from tests.systems.comware7.test_parsers import OUTPUTS as COMWARE7
from tests.systems.cumulus.test_parsers import OUTPUTS as CUMULUS
from tests.systems.junos.test_parsers import OUTPUTS as JUNOS
from tests.systems.nxos.test_parsers import OUTPUTS as NXOS
from tests.systems.outputs import Outputs
from tests.systems.sonic.test_parsers_state import OUTPUTS as SONIC
from tests.systems.vrp8.test_parsers import OUTPUTS as VRP8

SYSTEMS = (COMWARE7, CUMULUS, JUNOS, NXOS, OTHERS, SONIC, VRP8)


def _rows(*rows: tuple[Any, ...]) -> list[Any]:
    """Return the cases of a test, each named after its system and its sample."""
    return [pytest.param(*row, id=f"{row[0].nos}-{row[1]}".strip("-")) for row in rows]


def _true(of: Outputs, name: str, whole: Any, result: Any) -> bool:
    """Tell whether a reading says nothing that the whole sample does not say."""
    assert whole
    if result is None or result == whole:
        return True
    return name in of.uncounted and of.part_of(name, result, whole)


SAMPLES = [(of, name) for of in SYSTEMS for name in of.cases]
MARKED = [(of, name) for of in SYSTEMS for name in of.marked]
RUBBISH = [(of, name) for of in SYSTEMS for name in of.rubbish]


@pytest.mark.parametrize(
    ("of", "name"),
    _rows(*((of, name) for of in SYSTEMS if not of.only_damaged for name in of.cases)),
)
def test_samples(of: Outputs, name: str) -> None:
    """Value by value."""
    assert of.read(name, of.sample(name)) == of.whole(name)


@each(("of", "name"), SAMPLES)
def test_every_cut_is_noticed(of: Outputs, name: str) -> None:
    """At each byte: unreadable, the whole truth, or where nothing counts the rows, a part."""
    text, whole = of.sample(name), of.whole(name)
    for length in range(len(text)):
        assert _true(of, name, whole, of.read(name, text[:length])), text[:length][-60:]


@each(("of", "name", "first"), [(of, *row) for of in SYSTEMS for row in of.lines.items()])
def test_a_missing_line_is_noticed(of: Outputs, name: str, first: int) -> None:
    """What is needed is missed, what is not needed changes nothing, or less is said."""
    lines, whole = of.sample(name).splitlines(keepends=True), of.whole(name)
    for number in range(first, len(lines)):
        result = of.read(name, "".join(lines[:number] + lines[number + 1 :]))
        assert _true(of, name, whole, result), lines[number]


@given(number=st.integers(0, 2**32))
def test_marks_of_a_pager_or_terminal_are_noticed(number: int) -> None:
    """Wherever they stand."""
    for of, name in MARKED:
        text = of.sample(name)
        place = number % (len(text) - 1)
        for mark in of.marks:
            if mark == "\r" and text[place] == "\n":
                continue  # the end of a line as terminals write it
            assert of.read(name, text[:place] + mark + text[place:]) is None, (of.nos, name, mark)


@each(("of", "name"), MARKED)
def test_line_ends_of_a_terminal_are_fine(of: Outputs, name: str) -> None:
    """CR LF is LF."""
    assert of.read(name, of.sample(name).replace("\n", "\r\n")) == of.whole(name)


@given(number=st.integers(0, 2**32), length=st.integers(0, 30), data=st.data())
def test_no_other_exception(number: int, length: int, data: st.DataObject) -> None:
    """Whatever is put in, taken out or replaced: a value of the same kind, or unreadable."""
    for of in SYSTEMS:
        middle = data.draw(st.sampled_from(["", "0", "9", " ", "\n", "x", "é", '"', *of.pieces]))
        for name in of.cases:
            text = of.sample(name)
            start = number % (len(text) + 1)
            result = of.read(name, text[:start] + middle + text[start + length :])
            assert result is None or isinstance(result, type(of.whole(name))), (of.nos, name)


@given(text=st.text(max_size=60) | st.recursive(st.none() | st.text(max_size=5), st.lists).map(str))
def test_rubbish(text: str) -> None:
    """Is unreadable."""
    assert [(of.nos, name) for of, name in RUBBISH if of.read(name, text)] == []


@each(("of", "name", "text"), [(*row, text) for row in SAMPLES for text in row[0].others])
def test_other_answers_are_unreadable(of: Outputs, name: str, text: str) -> None:
    """Empty, an error, in another language, of another shape."""
    assert of.read(name, text) is None


@each(("of", "name", "old", "new"), [(of, *row) for of in SYSTEMS for row in of.wrong])
def test_wrong_values_are_unreadable(of: Outputs, name: str, old: str, new: str) -> None:
    """A value that cannot be is never taken."""
    text = of.sample(name)
    assert old in text
    assert of.read(name, text.replace(old, new)) is None
