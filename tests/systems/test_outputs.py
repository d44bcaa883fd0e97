"""The samples of each system value by value, and damaged: unreadable, or nothing that is untrue."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


def _true(of: Outputs, name: str, result: Any) -> bool:
    """Tell whether a reading says nothing that the whole sample does not say."""
    whole = of.cases[name][1]
    assert whole
    if result is None or result == whole:
        return True
    return name in of.uncounted and of.part_of(name, result, whole)


EACH = pytest.mark.parametrize(
    ("of", "name"), _rows(*((of, name) for of in SYSTEMS for name in of.cases))
)


@pytest.mark.parametrize(
    ("of", "name"),
    _rows(*((of, name) for of in SYSTEMS if not of.only_damaged for name in of.cases)),
)
def test_samples(of: Outputs, name: str) -> None:
    """Value by value."""
    assert of.read(name, of.sample(name)) == of.cases[name][1]


@EACH
def test_every_cut_is_noticed(of: Outputs, name: str) -> None:
    """At each byte: unreadable, the whole truth, or where nothing counts the rows, a part."""
    text = of.sample(name)
    for length in range(len(text)):
        assert _true(of, name, of.read(name, text[:length])), text[:length][-60:]


@pytest.mark.parametrize(
    ("of", "name", "first"), _rows(*((of, *row) for of in SYSTEMS for row in of.lines.items()))
)
def test_a_missing_line_is_noticed(of: Outputs, name: str, first: int) -> None:
    """What is needed is missed, what is not needed changes nothing, or less is said."""
    lines = of.sample(name).splitlines(keepends=True)
    for number in range(first, len(lines)):
        result = of.read(name, "".join(lines[:number] + lines[number + 1 :]))
        assert _true(of, name, result), lines[number]


@pytest.mark.parametrize(
    ("of", "name", "mark"),
    _rows(*((of, name, mark) for of in SYSTEMS for name in of.marked for mark in of.marks)),
)
@given(data=st.data())
def test_marks_of_a_pager_or_terminal_are_noticed(
    of: Outputs, name: str, mark: str, data: st.DataObject
) -> None:
    """Wherever they stand."""
    text = of.sample(name)
    place = data.draw(st.integers(0, len(text) - 2))
    if mark == "\r" and text[place] == "\n":
        return  # the end of a line as terminals write it
    assert of.read(name, text[:place] + mark + text[place:]) is None


@pytest.mark.parametrize(
    ("of", "name"), _rows(*((of, name) for of in SYSTEMS for name in of.marked))
)
def test_line_ends_of_a_terminal_are_fine(of: Outputs, name: str) -> None:
    """CR LF is LF."""
    assert of.read(name, of.sample(name).replace("\n", "\r\n")) == of.cases[name][1]


@EACH
@given(data=st.data())
def test_no_other_exception(of: Outputs, name: str, data: st.DataObject) -> None:
    """Whatever is put in, taken out or replaced: a value of the same kind, or unreadable."""
    text = of.sample(name)
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, min(len(text), start + 30)))
    middle = data.draw(st.sampled_from(["", "0", "9", " ", "\n", "x", "é", '"', *of.pieces]))
    result = of.read(name, text[:start] + middle + text[stop:])
    assert result is None or isinstance(result, type(of.cases[name][1]))


@pytest.mark.parametrize(
    ("of", "name"), _rows(*((of, name) for of in SYSTEMS for name in of.rubbish))
)
@given(text=st.text(max_size=60) | st.recursive(st.none() | st.text(max_size=5), st.lists).map(str))
def test_rubbish(of: Outputs, name: str, text: str) -> None:
    """Is unreadable."""
    assert not of.read(name, text)


@pytest.mark.parametrize(
    ("of", "name", "text"),
    _rows(*((of, name, text) for of in SYSTEMS for name in of.cases for text in of.others)),
)
def test_other_answers_are_unreadable(of: Outputs, name: str, text: str) -> None:
    """Empty, an error, in another language, of another shape."""
    assert of.read(name, text) is None


@pytest.mark.parametrize(
    ("of", "name", "old", "new"), _rows(*((of, *row) for of in SYSTEMS for row in of.wrong))
)
def test_wrong_values_are_unreadable(of: Outputs, name: str, old: str, new: str) -> None:
    """A value that cannot be is never taken."""
    text = of.sample(name)
    assert old in text
    assert of.read(name, text.replace(old, new)) is None
