"""Line cards: slots in the names of ports, of shipped models and of own ones."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import ValidationError

from fabric.intent.inventory import load
from fabric.intent.sku_model import OwnPorts
from fabric.platforms.asic_catalogue import asic
from fabric.platforms.catalogue import SkuFile, sku
from fabric.platforms.facts import Fact
from tests.topology.fabrics import INVENTORY

CARD = {
    "count": 32,
    "lanes": 4,
    "slot_ports": 16,
    "name": "Ethernet{slot}/{slot_port}/1",
    "alias": "{slot}/{slot_port}",
    "part_name": "Ethernet{slot}/{slot_port}/{first}",
    "part_alias": "{slot}/{slot_port}/{first}",
    "speeds_gbps": [200],
}


@pytest.mark.parametrize(
    ("name", "number", "port", "alias"),
    [
        ("7388X5-16CD2", 1, "Ethernet1/1/1", "1/1"),
        ("7388X5-16CD2", 16, "Ethernet1/16/1", "1/16"),
        ("7388X5-16CD2", 17, "Ethernet2/1/1", "2/1"),
        ("7388X5-16CD2", 128, "Ethernet8/16/1", "8/16"),
        ("7388X5-8DR", 9, "Ethernet2/1/1", "2/1"),
        ("7388X5-8DR", 64, "Ethernet8/8/1", "8/8"),
        ("7804R3-R3-48CQ", 1, "Ethernet3/1/1", "3/1"),
        ("7804R3-R3-48CQ", 192, "Ethernet6/48/1", "6/48"),
        ("7808R3-R3A-36D", 37, "Ethernet4/1/1", "4/1"),
        ("7808R3-R3A-36P", 288, "Ethernet10/36/1", "10/36"),
    ],
)
def test_shipped_models(name: str, number: int, port: str, alias: str) -> None:
    model = sku(name)
    assert (model.port(number), model.alias(number)) == (port, alias)
    assert model.port_numbers()[port] == number
    assert model.cage(number) == port


def test_a_packet_buffer_is_that_of_one_asic() -> None:
    """A chassis has none that all ports share, unless the model itself says so."""
    family = asic("jericho-2c-plus").integer("buffer_bytes")
    chassis = sku("7808R3-R3A-36D")
    assert family
    assert sku("7280DR3AK-36S").packet_buffer_bytes == family
    assert chassis.packet_buffer_bytes is None
    assert chassis.asic_facts.integer("buffer_bytes") is None
    assert chassis.asic_facts.integer("cell_bytes") == 4096
    own = replace(chassis, own_facts={"buffer_bytes": Fact(1_000, "x", "vendor")})
    assert own.packet_buffer_bytes == 1_000


def test_an_own_chassis(tmp_path: Path) -> None:
    (tmp_path / "fabric.yaml").write_text((INVENTORY / "demo" / "fabric.yaml").read_text())
    (tmp_path / "platforms").mkdir()
    text = (
        "skus:\n"
        "  - name: mine\n"
        "    nos: eos\n"
        "    asic: jericho-2c-plus\n"
        "    asics: 8\n"
        f"    ports: {json.dumps({**CARD, 'first_slot': 3, 'speed_words': ['200g-4']})}\n"
    )
    (tmp_path / "platforms" / "mine.yaml").write_text(text)
    mine = load(tmp_path, str(tmp_path)).skus["mine"]
    assert (mine.port(17), mine.asics) == ("Ethernet4/1/1", 8)
    assert mine.packet_buffer_bytes is None


def test_cards_of_two_kinds_and_parts_of_a_cage() -> None:
    more = {**CARD, "count": 8, "lanes": 8, "slot_ports": 8, "first_slot": 5}
    table = {"nos": "eos", "asic": "tomahawk-4", "source": "x", "breakouts": ["2x100G"],
             "ports": {**CARD, "more": [more]}}  # fmt: skip
    model = SkuFile.model_validate(table).sku("mine")
    assert [model.port(number) for number in (1, 32, 33, 40)] == [
        *("Ethernet1/1/1", "Ethernet2/16/1"),
        *("Ethernet5/1/1", "Ethernet5/8/1"),
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"slot_ports": None}, "need slot_ports"),
        ({"name": "Ethernet{slot}"}, "does not name a port"),
        ({"part_name": "Ethernet{slot}/{first}"}, "does not name a part of a cage"),
    ],
)
def test_own_models_are_checked(change: dict[str, object], message: str) -> None:
    assert OwnPorts.model_validate(CARD).slot_ports == 16
    with pytest.raises(ValidationError, match=message):
        OwnPorts.model_validate(CARD | change)
