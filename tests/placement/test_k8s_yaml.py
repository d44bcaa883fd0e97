"""Text of objects: every reader sees the same, and no value adds anything."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from fabric.placement.k8s import manifest as yamltext
from fabric.placement.k8s.manifest import yaml_text

#: Bare, these are no strings for some reader of YAML 1.1 or 1.2.
NOT_BARE = (
    "on off yes no y n true FALSE null ~ 1021 0123 0o17 1e3 1E3 .5 1:30 2026-01-01 .inf .nan NaN "
    "0x1f 1_000 = << - ? : ! & * % @ ` inf"
).split()

#: Keys of objects are short and printable: only others are laid out in two ways.
KEYS = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=60)


@pytest.mark.parametrize("word", NOT_BARE)
def test_words_that_readers_take_for_something_else(word: str) -> None:
    text = yaml_text({"a": word, word: "b"})
    assert text == f'a: "{word}"\n"{word}": b\n'


@given(
    st.recursive(
        st.text() | st.integers() | st.booleans(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=10,
    )
)
def test_any_value_is_one_document_without_tags(value: object) -> None:
    text = yaml_text({"a": value, "b": value})
    assert [*yaml.safe_load_all(text)] == [{"a": value, "b": value}]
    tokens = [type(token).__name__ for token in yaml.scan(text)]
    assert not {"TagToken", "AnchorToken", "AliasToken", "DocumentStartToken"} & set(tokens)


@given(st.text())
def test_text_is_ascii(text: str) -> None:
    assert yaml_text({"a": text}).isascii()


@given(st.recursive(st.text(), lambda x: st.lists(x) | st.dictionaries(KEYS, x)))
def test_both_emitters_print_the_same(value: object) -> None:
    """PyYAML has one in Python and, mostly, one in C."""
    plain = type("Plain", (yaml.SafeDumper,), {"ignore_aliases": lambda self, data: True})
    for kind, function in yamltext._Dumper.yaml_representers.items():
        plain.add_representer(kind, function)
    options = {"sort_keys": False, "width": 1_000_000, "allow_unicode": False}
    assert yaml.dump({"a": value}, Dumper=plain, **options) == yaml_text({"a": value})
