"""Own models with several kinds of ports."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fabric.core.errors import InputError
from fabric.intent.inventory import load
from fabric.platforms.breakout import broken_out, parse_mode
from fabric.platforms.model import Sku
from fabric.topology import realise
from tests.render.designs import INVENTORY

FIRST = {
    "count": 3, "lanes": 1, "name": "Ethernet{lane}", "alias": "etp{number}", "speeds_gbps": [25],
}  # fmt: skip
SECOND = {
    "count": 2, "lanes": 4, "name": "Ethernet{lane}", "alias": "etp{number}",
    "part_name": "Ethernet{lane}", "part_alias": "etp{number}{letter}",
    "speeds_gbps": [40, 100], "breakouts": ["1x100G[40G]", "2x50G", "4x25G"],
}  # fmt: skip


def own(folder: Path, ports: dict[str, Any], **more: object) -> Sku:
    """Return a model as an inventory loads it."""
    model = {"name": "Own", "nos": "sonic", "asic": "trident-3", "ports": ports, **more}
    (folder / "platforms").mkdir()
    demo = (INVENTORY / "demo" / "fabric.yaml").read_text(encoding="utf-8")
    (folder / "fabric.yaml").write_text(demo, encoding="utf-8")
    text = json.dumps({"skus": [model]}, indent=1)
    (folder / "platforms" / "own.yaml").write_text(text, encoding="utf-8")
    return load(folder).skus.own["Own"]


def test_ports_of_two_kinds(tmp_path: Path) -> None:
    """Numbers and lanes continue; names, speeds and modes are those of the kind."""
    model = own(tmp_path, FIRST | {"more": [SECOND]})
    assert model.port_count == 5
    assert [model.port(n) for n in range(1, 6)] == [f"Ethernet{lane}" for lane in (0, 1, 2, 3, 7)]
    assert [model.alias(n) for n in (3, 4)] == ["etp3", "etp4"]
    assert [[*model.lanes(n)] for n in (3, 4)] == [[2], [3, 4, 5, 6]]
    assert [model.speeds_of(n) for n in (3, 4)] == [(25,), (40, 100)]
    assert model.all_speeds_gbps == (25, 40, 100)
    assert model.all_breakouts == tuple(SECOND["breakouts"])
    split = broken_out(model, {5: parse_mode("2x50G")})
    assert [(split.port(n), split.alias(n)) for n in (4, 5, 6)] == [
        ("Ethernet3", "etp4"),
        ("Ethernet7", "etp5a"),
        ("Ethernet9", "etp5b"),
    ]
    assert split.whole.port_numbers() == model.port_numbers()


def test_a_step_that_is_not_that_of_the_lanes(tmp_path: Path) -> None:
    """NVIDIA counts four for each SFP28 cage; a first lane is where the name says."""
    model = own(tmp_path, FIRST | {"step": 4, "more": [SECOND]})
    assert [model.port(n) for n in range(1, 6)] == [f"Ethernet{4 * n}" for n in range(5)]
    assert [[*model.lanes(n)] for n in (2, 4)] == [[4], [12, 13, 14, 15]]


def test_breakouts_belong_to_their_kind(tmp_path: Path) -> None:
    """A fabric that breaks out a port of the other kind is refused."""
    own(tmp_path, FIRST | {"more": [SECOND]})
    file = tmp_path / "fabric.yaml"
    text = file.read_text()
    wanted = 'leaf: {sku: Own, breakouts: [{cages: "2,4", mode: 2x50G}]}'
    file.write_text(text.replace("leaf: {sku: ACS-MSN4700}", wanted))
    with pytest.raises(InputError) as caught:
        realise(load(tmp_path))
    texts = [str(finding) for finding in caught.value.findings]
    assert any("the breakout port names of Own are not known" in text for text in texts)
    assert any("1 lanes of a cage cannot be split as 2x50G" in text for text in texts)


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "many": (FIRST | {"count": 600, "more": [SECOND | {"count": 600}]}, "1,200 ports"),
    "first lanes": (
        FIRST | {"more": [SECOND], "first_lanes": [0, 1, 2]}, "3 first lanes for 5 ports",
    ),
    "same names": (
        FIRST | {"name": "Ethernet{number}", "more": [SECOND | {"name": "Ethernet{index}"}]},
        "the name patterns of two kinds name the same port",
    ),
    "words": (FIRST | {"more": [SECOND | {"speed_words": ["100g-4"]}]}, "uses numeric speeds"),
    "nothing": (FIRST | {"more": [{}]}, "ports.more[0].speeds_gbps: required field is missing"),
    "nine": (FIRST | {"more": [SECOND] * 9}, "use at most 8 items"),
    "step": (FIRST | {"step": 0}, "0 is too small"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_is_refused(case: str, tmp_path: Path) -> None:
    """With the field and its place."""
    ports, words = WRONG[case]
    with pytest.raises(InputError) as caught:
        own(tmp_path, ports)
    texts = [str(finding) for finding in caught.value.findings]
    assert any(words in text and "own.yaml:" in text for text in texts), texts
