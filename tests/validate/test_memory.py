"""What the buffers of a CONFIG_DB ask of the memory of the ASIC."""

from __future__ import annotations

import pytest

from fabric.systems.sonic.config_db import ConfigDb, configs_of
from fabric.validate.runner import run
from fabric.validate.world import World

#: Model, bytes of the pool, of its xoff, of a group -> what is said; nothing where all fits.
CASES = {
    "the template that the maker of NH-4210 withdrew: 808,546 cells of 636,183": (
        ("NH-4210-F-P128", 258_035_400, 81_553_920, 4620),
        "take 339,598,560 bytes: Broadcom Tomahawk 6 has 267,196,860",
        "warning",
    ),
    "its own correction": (("NH-4210-F-P128", 176_481_480, 81_553_920, 4620), "", ""),
    "no headroom of the pool, groups of their own": (
        ("ACS-SN5600", 158_000_000, 0, 200_000),
        "take 158,400,000 bytes: NVIDIA Spectrum-4 has 158,229,504",
        "warning",
    ),
    "one pool above the memory": (
        ("ACS-SN5600", 308_000_000, 0, 19_456),
        "pool ingress_lossless_pool of 308,000,000 bytes: NVIDIA Spectrum-4 has 158,229,504",
        "error",
    ),
    "an ASIC of which no source says where the headroom lies": (
        ("Arista-7060X6-64PE-O128", 165_979_744, 29_552_592, 0),
        "whether a pool of this ASIC has its xoff inside is unknown",
        "info",
    ),
    "a model that nobody knows": (("Some-Box", 900_000_000_000, 1, 1), "", ""),
}


def _config(sku: str, size: int, xoff: int, group: int) -> ConfigDb:
    pool = {"type": "ingress", "mode": "dynamic", "size": str(size)}
    return {
        "DEVICE_METADATA": {"localhost": {"hwsku": sku}},
        "BUFFER_POOL": {"ingress_lossless_pool": pool | ({"xoff": str(xoff)} if xoff else {})},
        "BUFFER_PROFILE": {"lossless": {"pool": "ingress_lossless_pool", "size": str(group)}},
        "BUFFER_PG": {"Ethernet0|3-4": {"profile": "lossless"}},
    }


@pytest.mark.parametrize(("numbers", "message", "severity"), CASES.values(), ids=CASES)
def test_memory(numbers: tuple[str, int, int, int], message: str, severity: str) -> None:
    outcome = run(World(configurations=configs_of({"leaf": _config(*numbers)})))
    mine = [finding for finding in outcome.findings if finding.rule == "SON044"]
    assert [finding.severity.name.lower() for finding in mine] == [severity] * bool(message)
    assert all(message in finding.message for finding in mine)
