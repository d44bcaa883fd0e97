"""What is known of ASIC families: every fact has a known name, a source and a grade."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from fabric.core.errors import InputError
from fabric.platforms import asic_catalogue
from fabric.platforms.asic import LAW_FACTS, LAWS, Asic, AsicFile
from fabric.platforms.asic_catalogue import asic, asic_names
from fabric.platforms.catalogue import sku, sku_names
from fabric.platforms.facts import FACTS, GRADES, Fact, check_fact, is_whole
from tests.cases import each

#: What each law cannot do without.
NEEDS = {
    "spectrum": {"cell_bytes", "pipeline_bytes", "mac_phy_bytes", "peer_response_bytes"},
    "tofino-2": {"cell_bytes", "pipeline_bytes", "mac_phy_bytes", "peer_response_bytes"},
    "xgs": {"cell_bytes", "packing_factor", "frame_bytes", "response_ns", "safe_response_ns"},
    "dnx": {"cell_bytes", "packing_factor", "delay_ns_per_m", "intercept_bytes_100g"},
    "linear": {"packing_factor", "delay_ns_per_m", "intercept_bytes_100g"},
    "plain": set(),
}
DATA = {
    "title": "Test",
    "vendor": "Nobody",
    "law": "plain",
    "aliases": ["t"],
    "sources": {"page": "a page"},
    "facts": {"cell_bytes": [254, "vendor", "page"]},
}


@each("name", asic_names())
def test_families(name: str) -> None:
    family = asic(name)
    assert family is asic(name)
    assert family.name == name
    assert family.title
    assert family.vendor
    assert family.law in LAWS
    assert set(family.facts) >= NEEDS[family.law]
    for fact_name, fact in family.facts.items():
        check_fact(fact_name, fact)
        assert re.search(r"[a-z]{2}.* ", fact.source), "a source is more than a word"


def test_laws_are_all_covered_by_this_test() -> None:
    assert set(NEEDS) == set(LAWS)


def test_names_and_aliases_are_unique() -> None:
    words = [word for name in asic_names() for word in (name, *asic(name).aliases)]
    assert len(set(words)) == len(words)
    assert all(word == word.lower() for word in words)


@pytest.mark.parametrize(
    ("alias", "name"),
    [("spectrum", "spectrum-1"), ("TH5", "tomahawk-5"), ("jr2cplus", "jericho-2c-plus")],
)
def test_aliases(alias: str, name: str) -> None:
    assert asic(alias) is asic(name)


def test_every_fact_name_says_what_it_is() -> None:
    units = {"bytes", "cells", "count", "Gb/s", "ns", "ns/m", "m", "ratio", "text"}
    assert {kind.unit for kind in FACTS.values()} <= units
    for name, kind in FACTS.items():
        assert kind.meaning.endswith(".")
        if kind.unit == "bytes":
            assert "_bytes" in name


def test_every_model_has_a_known_family() -> None:
    for name in sku_names():
        assert asic(sku(name).asic).name == sku(name).asic


def test_an_unknown_family_is_named() -> None:
    with pytest.raises(KeyError) as caught:
        asic("tomahawk-7")
    assert caught.value.args[0].startswith("unknown ASIC 'tomahawk-7'; known: centec, ")


@pytest.mark.parametrize(
    ("name", "fact", "value"),
    [
        ("spectrum-1", "cell_bytes", 96),
        ("spectrum-4", "cell_bytes", 192),
        ("spectrum-4", "tile_ns", 120),
        ("spectrum-6", "pipeline_bytes", 42 * 1024),
        ("spectrum-6", "extra_headroom_bytes", 18 * 1024),
        ("spectrum-5", "port_headroom_cells", 6144),
        ("tofino-2", "cell_bytes", 176),
        ("trident-4", "cell_bytes", 318),
        ("tomahawk-6", "cell_bytes", 420),
        ("tomahawk-5", "cell_bytes", 254),
        ("jericho-2c-plus", "floor_bytes_400g", 1_495_040),
    ],
)
def test_values_of_the_sources(name: str, fact: str, value: int) -> None:
    """As in asic_table.j2, buffer_headroom_mellanox.lua and the tables that are cited."""
    assert asic(name).integer(fact) == value


def test_fractions_of_a_kibibyte_are_kept() -> None:
    assert asic("spectrum-4").number("mac_phy_bytes") == pytest.approx(0.8 * 1024, abs=0)
    assert asic("spectrum-4").number("peer_response_bytes") == pytest.approx(3.8 * 1024, abs=1e-9)
    with pytest.raises(TypeError, match=r"819\.2, not a whole number"):
        asic("spectrum-4").integer("mac_phy_bytes")


def test_what_is_not_confirmed_is_not_given_unasked() -> None:
    family = asic("spectrum-4")
    assert family.facts["ecn_quantum_bytes"].grade == "unconfirmed"
    assert family.integer("ecn_quantum_bytes") is None
    assert family.integer("ecn_quantum_bytes", unconfirmed=True) == 64 * 192


def test_what_is_not_known_is_none_and_a_wrong_name_is_an_error() -> None:
    assert asic("spectrum-4").number("packing_factor") is None
    with pytest.raises(KeyError):
        asic("spectrum-4").number("cell_size")
    with pytest.raises(TypeError, match=r"adaptive_routing of spectrum-4 is 'yes', not a number"):
        asic("spectrum-4").number("adaptive_routing")


@each("name", asic_names())
def test_whole_facts_can_be_read_as_whole_numbers(name: str) -> None:
    family = asic(name)
    for fact_name in family.facts:
        if is_whole(fact_name):
            assert family.integer(fact_name, unconfirmed=True) == family.facts[fact_name].value


def test_counts_by_grade_add_up() -> None:
    for name in asic_names():
        assert sum(asic(name).count(grade) for grade in GRADES) == len(asic(name).facts)


def test_parse() -> None:
    family = AsicFile.model_validate(DATA).asic("test")
    assert isinstance(family, Asic)
    assert family.facts["cell_bytes"] == Fact(254, "a page", "vendor")
    with pytest.raises(TypeError):
        family.facts["cell_bytes"] = Fact(1, "a page", "vendor")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"law": "new"}, r"law\n.*Input should be 'spectrum', 'tofino-2', 'xgs', 'dnx', "),
        ({"law": "dnx"}, r"'dnx' needs the fact delay_ns_per_m, which is not among facts"),
        ({"facts": {"cells": [254, "vendor", "page"]}}, r"unknown fact 'cells'"),
        ({"facts": {"cell_bytes": [254, "vendor", "none"]}}, r"cell_bytes: a fact needs a source"),
        (
            {"facts": {"cell_bytes": [254, "sure", "page"]}},
            r"Input should be 'vendor'",
        ),
        ({"facts": {"cell_bytes": [0, "vendor", "page"]}}, r"cell_bytes: 0 is not a value in"),
        ({"facts": {"cell_bytes": [2.5, "vendor", "page"]}}, r"cell_bytes: 2.5 is not a whole"),
        ({"facts": {"cell_bytes": [True, "vendor", "page"]}}, r"cell_bytes: True is not"),
        ({"facts": {"cell_bytes": ["9", "vendor", "page"]}}, r"cell_bytes: '9' is not"),
        ({"facts": {"cell_bytes": [[9, -1], "vendor", "page"]}}, r"cell_bytes: -1 is not"),
        ({"facts": {"adaptive_routing": [1, "vendor", "page"]}}, r"adaptive_routing: 1 is not"),
    ],
)
def test_a_bad_file_is_refused(change: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        AsicFile.model_validate(DATA | change)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('law = "xgs"', 'law = "new"', ":3:1: law: Input should be 'spectrum', "),
        ('law = "xgs"', 'law = "dnx"', ":3:1: law: 'dnx' needs the fact intercept_bytes_"),
        ('law = "xgs"', "", ": law: the field is missing"),
        ('law = "xgs"', "law = [", ":4:1: Invalid value"),
        ('law = "xgs"', 'lore = "xgs"', ":3:1: lore: unknown field"),
        ("cell_bytes = [", "cell_bytes = 7\nframe_bytes = [", ":20:1: Cannot overwrite a value"),
        ("cell_bytes = [254,", "cell_bytes = [0,", ":17:1: facts.cell_bytes: cell_bytes: 0 is not"),
    ],
)
def test_a_bad_file_names_itself_line_and_field(tmp_path, monkeypatch, old, new, message) -> None:
    """Of an installed package whose file was edited: a message, not a traceback."""
    source = files("fabric.platforms") / "asics" / "tomahawk-3.toml"
    text = source.read_text()
    assert old in text
    file = tmp_path / "tomahawk-3.toml"
    file.write_text(text.replace(old, new, 1))
    monkeypatch.setattr(asic_catalogue, "data_files", lambda kind: {"tomahawk-3": file})
    with pytest.raises(InputError) as caught:
        asic.__wrapped__("tomahawk-3")
    assert str(caught.value.findings[-1] if "lore" in new else caught.value.findings[0]).startswith(
        f"{file}{message}"
    )


@each("name", asic_names())
def test_every_family_has_the_facts_of_its_law(name: str) -> None:
    family = asic(name)
    assert all(
        any(fact.startswith(need) for fact in family.facts) for need in LAW_FACTS[family.law]
    )
