"""Places of keys in JSON: what is skipped has no key that counts."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from fabric.validate.json_lines import key_positions
from tests.cases import examples

_TEXTS = st.text(st.sampled_from('a{}[]:,"\\\n'), max_size=6)
_VALUES = st.recursive(
    _TEXTS | st.none() | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=30,
)


def _keys(value: object, depth: int) -> list[tuple[str, ...]]:
    """Return the paths of all keys of objects that are in objects alone."""
    if not isinstance(value, dict) or depth == 0:
        return []
    return [
        path
        for key, inner in value.items()
        for path in ((key,), *((key, *below) for below in _keys(inner, depth - 1)))
    ]


@given(value=st.dictionaries(_TEXTS, _VALUES, max_size=4), indent=st.sampled_from([None, 2]))
@examples(100)
def test_each_key_has_its_place(value: dict[str, object], indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    lines = text.split("\n")
    for depth in (1, 2, 3):
        places = key_positions(text, "f.json", depth)
        for path in _keys(value, depth):
            place = places[path]
            rest = lines[place.line - 1][place.column - 1 :]
            assert rest.startswith(f"{json.dumps(path[-1])}:")
        assert all(len(path) <= depth for path in places)
