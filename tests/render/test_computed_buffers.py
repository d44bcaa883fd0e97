"""SONiC switches that compute their lossless buffers: what is written in place of a table."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fabric.core.errors import RenderError
from fabric.design.model import DeviceDesign
from fabric.platforms.catalogue import sku
from fabric.render import render_device
from tests.render.designs import design, variant

GOLDEN = Path(__file__).parents[1] / "golden" / "sonic" / "computed-buffers" / "su1-rail0"
DYNAMIC = {"sku: ACS-MSN4700": "sku: ACS-MSN4700, buffer_model: dynamic"}
DIFFERENT = {
    "BUFFER_PG",
    "BUFFER_POOL",
    "BUFFER_PROFILE",
    "DEFAULT_LOSSLESS_BUFFER_PARAMETER",
    "DEVICE_METADATA",
    "LOSSLESS_TRAFFIC_PATTERN",
}


def config(device: DeviceDesign) -> Any:
    return json.loads(render_device(device)[0].content)


def test_golden(tmp_path: Path, *, update_golden: bool) -> None:
    """The artefact is the file that a person has read."""
    [text, _] = (
        a.text for a in render_device(variant(tmp_path / "i", "demo", DYNAMIC)[GOLDEN.name])
    )
    file = GOLDEN / "config_db.json"
    if update_golden:
        GOLDEN.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8")


def test_only_buffers_differ(tmp_path: Path) -> None:
    """From the vendor's table, as long as the cables of both are the same."""
    plain = config(variant(tmp_path / "a", "demo", {})["su1-rail0"])
    computed = config(variant(tmp_path / "b", "demo", DYNAMIC)["su1-rail0"])
    tables = {name for name in {*plain, *computed} if plain.get(name) != computed.get(name)}
    assert tables == DIFFERENT
    assert not any(name.startswith("pg_lossless") for name in computed["BUFFER_PROFILE"])
    sized = {name for name, row in computed["BUFFER_POOL"].items() if "size" in row}
    assert sized == {"egress_lossless_pool"}


@pytest.mark.parametrize(
    ("changes", "parameter", "pattern"),
    [
        ({}, "0", "9022"),
        ({"pfc_priority: 3": "pfc_priority: 3\n  dynamic_th: -2"}, "-2", "9022"),
        ({"pfc_priority: 3": "pfc_priority: 3\n  mtu: {host_bytes: 4200}"}, "0", "4222"),
        ({"pfc_priority: 3": "pfc: false"}, "0", "1"),
    ],
)
def test_what_it_is_computed_from(
    tmp_path: Path, changes: dict[str, str], parameter: str, pattern: str
) -> None:
    """Threshold and largest lossless frame are those of the policy; frames may all be small."""
    found = config(variant(tmp_path / "i", "demo", {**DYNAMIC, **changes})["su1-rail0"])
    assert found["DEFAULT_LOSSLESS_BUFFER_PARAMETER"] == {
        "AZURE": {"default_dynamic_th": parameter}
    }
    row = {"mtu": pattern, "small_packet_percentage": "100"}
    assert found["LOSSLESS_TRAFFIC_PATTERN"] == {"AZURE": row}


def test_a_shared_headroom(tmp_path: Path) -> None:
    """The ratio is the only difference: the switch computes the size."""
    shares = {"dynamic": "dynamic, headroom_over_subscription: 2"}
    plain = config(variant(tmp_path / "a", "demo", DYNAMIC)["su1-rail0"])
    both = {old: new.replace(*next(iter(shares.items()))) for old, new in DYNAMIC.items()}
    shared = config(variant(tmp_path / "b", "demo", both)["su1-rail0"])
    parameter = shared.pop("DEFAULT_LOSSLESS_BUFFER_PARAMETER")["AZURE"]
    plain_parameter = plain.pop("DEFAULT_LOSSLESS_BUFFER_PARAMETER")["AZURE"]
    assert parameter == {**plain_parameter, "over_subscribe_ratio": "2"}
    assert shared == plain


def test_any_length(tmp_path: Path) -> None:
    """The table knows 5, 40 and 300 m; here the law of the ASIC is asked in place of it."""
    devices = "devices: [{names: su1-rail0, ports: {Ethernet0: {cable_m: 33}}}]"
    leaf = variant(tmp_path / "i", "demo", DYNAMIC, devices)["su1-rail0"]
    [port] = [port for port in leaf.ports if port.name == "Ethernet0"]
    assert port.headroom
    assert port.headroom.row is None
    assert port.headroom.law
    assert port.headroom.headroom_bytes == int(port.headroom.law.headroom_bytes)
    size = port.headroom.headroom_bytes + port.headroom.guaranteed_bytes
    assert size == int(port.headroom.law.size_bytes)  # type: ignore[arg-type]
    assert config(leaf)["BUFFER_PG"]["Ethernet0|3"] == {"profile": "NULL"}


def test_the_largest_frame_of_any_port_counts(tmp_path: Path) -> None:
    """There is one traffic pattern for the whole switch."""
    small = "{lossless: {mtu: {host_bytes: 1500}}}"
    ports = ", ".join(f"Ethernet{lane}: {small}" for lane in (8, 128, 136))
    devices = f"devices: [{{names: su1-rail0, ports: {{{ports}}}}}]"
    leaf = variant(tmp_path / "i", "demo", DYNAMIC, devices)["su1-rail0"]
    found = {int(port.headroom.link.lossless_mtu_bytes) for port in leaf.ports if port.headroom}
    assert found == {1522, 9022}
    assert config(leaf)["LOSSLESS_TRAFFIC_PATTERN"]["AZURE"]["mtu"] == "9022"
    hosts = {port.headroom for port in leaf.ports if port.headroom and port.kind == "host"}
    assert len(hosts) == 2
    assert len({group.headroom_bytes for group in hosts}) == 1


def test_a_switch_that_cannot_is_refused() -> None:
    """Were the rule passed over, nothing is rendered."""
    leaf = replace(design("demo", "su1-rail0"), buffer_model="dynamic")
    with pytest.raises(RenderError, match="DellEMC-Z9332f-O32 with SONiC does not support buffers"):
        render_device(replace(leaf, sku=sku("DellEMC-Z9332f-O32")))
    first, *rest = leaf.ports
    assert first.headroom
    odd = replace(first, headroom=replace(first.headroom, dynamic_th=-3))
    two = replace(leaf, ports=(odd, *rest))
    with pytest.raises(RenderError, match="computed buffers have one dynamic_th"):
        render_device(two)
