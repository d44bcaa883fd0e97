"""JSON is the same text as that of the standard library."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.core.json_text import indented

_LEAVES = st.none() | st.booleans() | st.integers() | st.text()
_VALUES = st.recursive(
    _LEAVES,
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.lists(inner).map(tuple),
    max_leaves=20,
)


@given(_VALUES)
def test_as_the_standard_library_writes_it(value: object) -> None:
    assert indented(value) == json.dumps(value, indent=1)


@pytest.mark.parametrize("text", ["\ud800", "\x7f", "\u00fc", "\x1f\b\n", 2**70])
def test_what_pydantic_writes_otherwise_or_not_at_all(text: str | int) -> None:
    assert indented({"a": [text]}) == json.dumps({"a": [text]}, indent=1)
