"""Pool sizes from the JSON of a switch."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.platforms.buffers import parse_buffers
from fabric.platforms.model import Pools
from tests.exchange import saved_outputs

NVIDIA = """\
{
  "BUFFER_POOL": {
    "egress_lossless_pool": {"mode": "dynamic", "size": "158229504", "type": "egress"},
    "egress_lossy_pool": {"mode": "dynamic", "size": "52161690", "type": "egress"},
    "ingress_lossless_pool": {"mode": "dynamic", "size": "52161690", "type": "ingress"},
    "ingress_lossy_pool": {"mode": "dynamic", "size": "52161690", "type": "ingress"}
  },
  "PORT": {"Ethernet0": {"speed": "800000"}}
}
"""
BROADCOM = """\
{"BUFFER_POOL": {
  "ingress_lossless_pool": {"size": "162539680", "xoff": "33374584", "type": "ingress"},
  "egress_lossless_pool": {"size": 162539680, "mode": "static"}
}}
"""


def test_four_pools() -> None:
    found = parse_buffers(NVIDIA)
    assert found.problems == ()
    assert found.pools == Pools(
        ingress_lossless_bytes=52_161_690,
        egress_lossless_bytes=158_229_504,
        ingress_lossy_bytes=52_161_690,
        egress_lossy_bytes=52_161_690,
    )
    assert found.largest_bytes == 158_229_504


def test_two_pools_and_shared_headroom() -> None:
    found = parse_buffers("\ufeff" + BROADCOM)
    assert found.problems == ()
    assert found.pools == Pools(
        ingress_lossless_bytes=162_539_680,
        egress_lossless_bytes=162_539_680,
        shared_headroom_bytes=33_374_584,
    )


def test_a_shared_headroom_of_nothing_is_none() -> None:
    found = parse_buffers(BROADCOM.replace("33374584", "0"))
    assert found.pools
    assert found.pools.shared_headroom_bytes == 0


PLAIN = "give plain JSON: `show runningconfiguration all`, or /etc/sonic/config_db.json"
#: Text -> line, column, message, fix.
MISTAKES: dict[str, tuple[str, list[tuple[int, int, str, str]]]] = {
    "nothing": ("", [(1, 1, "not JSON: expecting value", PLAIN)]),
    "template": (
        '{\n  "BUFFER_POOL": {{ defs.pools() }}\n}',
        [(2, 18, "this is a template, not the file made from it", PLAIN)],
    ),
    "rest of a template": (
        NVIDIA + "{%- endmacro %}\n",
        [(10, 1, "this is a template, not the file made from it", PLAIN)],
    ),
    "rest": (
        NVIDIA + "}\n",
        [(10, 1, "the JSON ends before this; only plain JSON is read", "remove what follows")],
    ),
    "colon": ('{"BUFFER_POOL" 5}', [(1, 16, "not JSON: expecting ':' delimiter", PLAIN)]),
    "list": (
        "[]",
        [(1, 1, "there is no table BUFFER_POOL", "give a part of config_db.json that has it")],
    ),
    "table that is none": (
        '{"BUFFER_POOL": []}',
        [(1, 1, "there is no table BUFFER_POOL", "give a part of config_db.json that has it")],
    ),
    "pools of other names": (
        '{"BUFFER_POOL": {"ingress_pool": {}, "egress_pool": {}}}',
        [
            (
                1,
                2,
                f"there is no pool {name}; pools: egress_pool, ingress_pool",
                "lossless traffic needs it",
            )
            for name in ("ingress_lossless_pool", "egress_lossless_pool")
        ],
    ),
    "dynamic buffer model": (
        BROADCOM.replace('"size": 162539680, ', ""),
        [
            (
                3,
                3,
                "egress_lossless_pool has no size",
                "the switch sizes its pools automatically (dynamic buffer model): ",
            )
        ],
    ),
    "sizes": (
        BROADCOM.replace('"162539680"', '"-1"').replace("162539680", "0.5"),
        [
            (2, 29, "ingress_lossless_pool: size '-1' is not a number of bytes", "write 1 to "),
            (3, 28, "egress_lossless_pool: size 0.5 is not a number of bytes", "write 1 to "),
        ],
    ),
    "nothing in a pool": (
        BROADCOM.replace("162539680,", "0,"),
        [(3, 28, "egress_lossless_pool: size 0 is not a number of bytes", "write 1 to ")],
    ),
    "shared headroom": (
        BROADCOM.replace("33374584", "all"),
        [(2, 50, "ingress_lossless_pool: xoff 'all' is not a number of bytes", "write 1 to ")],
    ),
    "more than any buffer": (
        BROADCOM.replace("162539680,", "99999999999999999999,"),
        [(3, 28, "egress_lossless_pool: size 99999999999999999999 is not a number", "write")],
    ),
    "twice": (
        '{"BUFFER_POOL": {\n"a": 1,\n"a": 2}}',
        [(3, 1, "the key 'a' appears twice", "keep one of the two")],
    ),
    "deep": ("[" * 100_000, [(1, 65, "not JSON: nested deeper than 64 levels", PLAIN)]),
    "long number": (
        '{"a": ' + "1" * 5000 + "}",
        [(1, 7, "not JSON: a number has more than 4,300 digits", PLAIN)],
    ),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes(case: str) -> None:
    text, wanted = MISTAKES[case]
    found = parse_buffers(text)
    assert found.pools is None
    assert found.largest_bytes == 0
    assert [(one.line, one.column) for one in found.problems] == [one[:2] for one in wanted]
    for problem, (_, _, message, fix) in zip(found.problems, wanted, strict=True):
        assert problem.message.startswith(message)
        assert problem.fix.startswith(fix)


NAMES = st.sampled_from(["ingress_lossless_pool", "egress_lossless_pool", "size", "xoff", "a\n"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


@given(st.text() | st.dictionaries(NAMES, JSON).map(lambda t: json.dumps({"BUFFER_POOL": t})))
def test_no_text_breaks_the_reader(text: str) -> None:
    found = parse_buffers(text)
    assert (found.pools is None) == bool(found.problems)
    assert all(one.line >= 1 and one.column >= 1 and one.fix for one in found.problems)
    assert all(one.message.isprintable() for one in found.problems)


@given(st.integers(1, 2**40), st.integers(1, 2**40), st.integers(0, 2**40))
def test_what_is_written_is_read_again(ingress: int, egress: int, shared: int) -> None:
    table = {
        "ingress_lossless_pool": {"size": str(ingress), "xoff": str(shared)},
        "egress_lossless_pool": {"size": egress},
    }
    assert parse_buffers(json.dumps({"BUFFER_POOL": table})).pools == Pools(
        ingress_lossless_bytes=ingress, egress_lossless_bytes=egress, shared_headroom_bytes=shared
    )


LAYOUT = {
    "BUFFER_POOL": {
        "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "9", "xoff": "2"},
        "egress_lossless_pool": {"type": "egress", "mode": "static", "size": "9"},
    },
    "BUFFER_PROFILE": {
        "ingress_lossy_profile": {"pool": "ingress_lossless_pool", "size": "0", "static_th": "9"},
        "egress_lossless_profile": {"pool": "egress_lossless_pool", "size": "0", "static_th": "9"},
        "egress_lossy_profile": {"pool": "egress_lossless_pool", "size": "0", "dynamic_th": "-2"},
        "pg_lossless_400000_5m_profile": {"pool": "ingress_lossless_pool", "xoff": "7"},
    },
}


def test_the_layout_of_a_switch_is_kept() -> None:
    """All but the profiles that the buffer manager makes by itself."""
    layout = parse_buffers(json.dumps(LAYOUT)).layout
    assert layout is not None
    assert layout.pools == LAYOUT["BUFFER_POOL"]
    assert set(layout.profiles) == {
        "ingress_lossy_profile",
        "egress_lossless_profile",
        "egress_lossy_profile",
    }
    assert layout.lossy_queue == "egress_lossy_profile"
    assert not layout.port_lists


@pytest.mark.parametrize(
    ("profile", "row"),
    [
        ("egress_lossy_profile", {"pool": "none", "size": "0"}),
        ("egress_lossy_profile", {"pool": "egress_lossless_pool", "size": '0"}}'}),
        ("egress_lossy_profile", {"pool": "egress_lossless_pool", "command": "reboot"}),
        ('x": {}, "y', {"pool": "egress_lossless_pool", "size": "0"}),
        ("egress_lossless_profile", None),
    ],
)
def test_a_layout_that_is_not_sonics_is_not_kept(profile: str, row: dict | None) -> None:
    """Nothing of a file from a switch may become a line of another."""
    profiles = {**LAYOUT["BUFFER_PROFILE"], profile: row}
    if row is None:
        del profiles[profile]
    text = json.dumps({**LAYOUT, "BUFFER_PROFILE": profiles})
    assert parse_buffers(text).layout is None


def test_rows_that_an_image_has_and_a_model_needs_not() -> None:
    """Fields of a pool in a profile are ignored; profiles with later fields are not kept."""
    data = json.loads(saved_outputs.CONFIG_DB)
    data["BUFFER_PROFILE"]["egress_lossy_profile"]["mode"] = "dynamic"
    layout = parse_buffers(json.dumps(data)).layout
    assert layout is not None
    assert [*layout.profiles] == [
        "ingress_lossy_profile",
        "egress_lossless_profile",
        "egress_lossy_profile",
    ]
    assert "mode" not in layout.profiles["egress_lossy_profile"]
    assert layout.pools["egress_lossless_pool"]["mode"] == "static"
    data["BUFFER_PROFILE"]["egress_lossless_profile"]["packet_discard_action"] = "trim"
    assert parse_buffers(json.dumps(data)).layout is None
