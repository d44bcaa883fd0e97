"""The mapping to YANG JSON, on small models of our own: needs no reference data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fabric.systems.sonic.yang import Schema, YangMappingError, convert, load_schema
from fabric.systems.sonic.yang_syntax import parse

TYPES = """
module t-types { // a comment with { and "
    prefix tt;
    typedef percent { type uint8 { range "0..100"; } }
    typedef flag { type boolean; }
    grouping common { leaf share { type percent; } }
}
"""
PORT = """
module t-port {
    prefix port; import t-types { prefix types; }
    container t-port {
        container PORT {
            list PORT_LIST {
                key "name";
                leaf name { type string { pattern 'Ethernet' + "[0-9]+"; } }
                leaf index { type uint16; }
                leaf big { type uint64; }
                leaf on { type types:flag; }
                leaf-list adv_speeds { type union { type uint32; type string { pattern "all"; } } }
                leaf mode { type union { type enumeration { enum a; enum b; }
                                         type int8 { range "-1 | 5..max"; } type string; } }
                uses types:common;
                choice colour { case red { leaf red { type string; } } leaf blue { type int32; } }
            }
            list PORT_IP_LIST {
                key "name ip";
                leaf name { type leafref { path "../../PORT_LIST[name=current()]/name"; } }
                leaf ip { type string; }
                leaf peer {
                    type leafref { path /port:t-port/port:PORT/port:PORT_LIST/port:index; }
                }
            }
        }
        container GLOBALS { container Config { typedef t { type uint16; } leaf n { type t; } } }
        container A_MAP {
            list A_MAP_LIST {
                key "name";
                leaf name { type string; }
                list A_MAP { key "left"; leaf left { type string; } leaf right { type uint8; } }
            }
        }
    }
}
"""


@pytest.fixture
def schema(tmp_path: Path) -> Schema:
    """Return the schema of the two modules."""
    (tmp_path / "types.yang").write_text(TYPES, encoding="utf-8")
    (tmp_path / "port.yang").write_text(PORT, encoding="utf-8")
    (tmp_path / "events.yang").write_text(
        "module sonic-events-x { container c { container PORT { } } }", encoding="utf-8"
    )
    return load_schema(tmp_path)


def _row(schema: Schema, fields: dict[str, Any]) -> dict[str, Any]:
    config = {"PORT": {"Ethernet0": fields}}
    row: dict[str, Any] = convert(config, schema)["t-port:t-port"]["PORT"]["PORT_LIST"][0]
    assert row.pop("name") == "Ethernet0"
    return row


@pytest.mark.parametrize(
    ("field", "value", "wanted"),
    [
        ("index", "7", 7),
        ("index", "seven", "seven"),
        ("big", "7", "7"),
        ("on", "true", True),
        ("on", "false", False),
        ("on", "yes", "yes"),
        ("share", "50", 50),
        ("red", "5", "5"),
        ("blue", "-5", -5),
        ("mode", "a", "a"),
        ("mode", "-1", -1),
        ("mode", "99", 99),
        ("mode", "0", "0"),
        ("adv_speeds", "100,200", [100, 200]),
        ("adv_speeds", ["100", "all"], [100, "all"]),
    ],
)
def test_values_get_the_json_of_their_type(
    schema: Schema, field: str, value: Any, wanted: Any
) -> None:
    """Small whole numbers and booleans lose their quotes, all else keeps them (RFC 7951)."""
    found = _row(schema, {field: value})
    assert found == {field: wanted}
    assert type(found[field]) is type(wanted)


def test_rows_go_to_the_list_with_their_key(schema: Schema) -> None:
    """One part or two, a container, a list inside a list."""
    config = {
        "PORT": {"Ethernet0": {}, "Ethernet0|10.0.0.1/31": {"peer": "3"}},
        "GLOBALS": {"Config": {"n": "300"}},
        "A_MAP": {"AZURE": {"26": "3"}},
    }
    assert convert(config, schema) == {
        "t-port:t-port": {
            "PORT": {
                "PORT_LIST": [{"name": "Ethernet0"}],
                "PORT_IP_LIST": [{"name": "Ethernet0", "ip": "10.0.0.1/31", "peer": 3}],
            },
            "GLOBALS": {"Config": {"n": 300}},
            "A_MAP": {"A_MAP_LIST": [{"name": "AZURE", "A_MAP": [{"left": "26", "right": 3}]}]},
        }
    }


def test_every_stranger_is_named(schema: Schema) -> None:
    """Table, row and field, all of them at once."""
    config = {
        "NONE": {"x": {}},
        "PORT": {"Ethernet0": {"index": "1", "colour": "x"}, "a|b|c": {}},
        "GLOBALS": {"Config": {"m": "1"}},
    }
    with pytest.raises(YangMappingError) as caught:
        convert(config, schema)
    assert caught.value.problems == (
        "NONE: no YANG model defines this table",
        "PORT|Ethernet0: unknown field 'colour'",
        "PORT|a|b|c: no list of this table has a key of 3 part(s)",
        "GLOBALS|Config: unknown field 'm'",
    )


@pytest.mark.parametrize("text", ["", "module a {", "module a { } }", 'module a { x "b }'])
def test_broken_models_are_refused(tmp_path: Path, text: str) -> None:
    """With the name of the file."""
    (tmp_path / "a.yang").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"a\.yang: "):
        load_schema(tmp_path)


def test_arguments_are_joined_and_unescaped() -> None:
    """RFC 7950 section 6.1.3."""
    module = parse('module m { a "x\\n\\"" + \'y\\n\'; /* b; */ c; d e/f; }')
    assert [(item.keyword, item.argument) for item in module.children] == [
        ("a", 'x\n"y\\n'),
        ("c", ""),
        ("d", "e/f"),
    ]
