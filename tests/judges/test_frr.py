"""FRR judges what SONiC makes of our BGP tables, in both styles.

The lines are written as the templates of the image write them, from the fields of CONFIG_DB:
sonic-net/sonic-buildimage 086b03bd dockers/docker-fpm-frr/frr/bgpd (bgpd.main.conf.j2 and
templates/general/instance.conf.j2) and src/sonic-frr-mgmt-framework/templates/bgpd.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from fabric.render import render_device
from tests.judges.conftest import missing_judge
from tests.render.designs import INVENTORY, variant

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

STYLES = {
    "plain": {},
    "bfd": {"bgp: {": "bgp: {bfd: true, "},
    "unnumbered": {"bgp: {": "bgp: {peering: unnumbered, "},
    "own AS number": {"bgp: {": "bgp: {allowas_in: 2, "},
    "both": {"bgp: {": "bgp: {bfd: true, peering: unnumbered, keepalive_s: 1, hold_s: 3, "},
}


@pytest.fixture(scope="session")
def vtysh() -> str:
    """Return the path of FRR's shell."""
    path = shutil.which("vtysh")
    if path is None:
        missing_judge("vtysh (Debian package frr)")
    assert path is not None
    return path


def complaint(vtysh: str, lines: list[str], scratch: Path) -> str:
    """Return what FRR says against a configuration; empty when nothing."""
    file = scratch / "frr.conf"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = [vtysh, "-C", "-f", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def bgpcfgd(config: dict[str, Any]) -> Iterator[str]:
    """Yield what the image's default style writes."""
    local = config["DEVICE_METADATA"]["localhost"]
    yield f"router bgp {local['bgp_asn']}"
    yield from (" bgp log-neighbor-changes", " no bgp default ipv4-unicast")
    yield from (" no bgp ebgp-requires-policy", " bgp bestpath as-path multipath-relax")
    for address, row in config["BGP_NEIGHBOR"].items():
        yield f" neighbor {address} remote-as {row['asn']}"
        yield f" neighbor {address} description {row['name']}"
        yield f" neighbor {address} timers {row['keepalive']} {row['holdtime']}"
        yield " address-family ipv4"
        yield f"  neighbor {address} activate"
        yield " exit-address-family"


def managed(config: dict[str, Any]) -> Iterator[str]:
    """Yield what the FRR management framework writes."""
    for key, row in config["ROUTE_MAP"].items():
        name, number = key.split("|")
        yield from (f"route-map {name} {row['route_operation']} {number}", "exit")
    glob = config["BGP_GLOBALS"]["default"]
    yield f"router bgp {glob['local_asn']}"
    yield f" bgp router-id {glob['router_id']}"
    yield from (" bgp default ipv4-unicast", " bgp bestpath as-path multipath-relax")
    for key, row in config["BGP_PEER_GROUP"].items():
        yield from _peer(key.split("|")[1], row, " peer-group")
    for key, row in config["BGP_NEIGHBOR"].items():
        name = key.split("|")[1]
        word = "" if name[0].isdecimal() else "interface "
        yield f" neighbor {name} {word}peer-group {row['peer_group_name']}"
        yield f" neighbor {name} description {row['name']}"
    yield " address-family ipv4 unicast"
    for key in config["BGP_GLOBALS_AF_NETWORK"]:
        yield f"  network {key.split('|')[2]}"
    for key, row in config["BGP_PEER_GROUP_AF"].items():
        group = key.split("|")[1]
        if row.get("allow_as_in") == "true":
            yield f"  neighbor {group} allowas-in {row['allow_as_count']}"
        yield f"  neighbor {group} route-map {row['route_map_in'][0]} in"
        yield f"  neighbor {group} route-map {row['route_map_out'][0]} out"
    yield f"  maximum-paths {config['BGP_GLOBALS_AF']['default|ipv4_unicast']['max_ebgp_paths']}"
    yield " exit-address-family"


def _peer(name: str, row: dict[str, str], kind: str) -> Iterator[str]:
    yield f" neighbor {name}{kind}"
    yield f" neighbor {name} remote-as {row['peer_type']}"
    if row.get("bfd") == "true":
        yield f" neighbor {name} bfd"
    yield f" neighbor {name} timers {row['keepalive']} {row['holdtime']}"
    if row.get("capability_ext_nexthop") == "true":
        yield f" neighbor {name} capability extended-nexthop"


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(
    "inventory", ["demo", "eight-slash-27", "rail-512", "routed", "three-tier"]
)
def test_what_sonic_makes_of_it(vtysh: str, tmp_path: Path, inventory: str, style: str) -> None:
    """Every SONiC switch of the examples, in both styles."""
    has_bgp = "bgp: {" in (INVENTORY / inventory / "fabric.yaml").read_text()
    changes = STYLES[style] if has_bgp else {}
    if style != "plain" and not has_bgp:
        pytest.skip("the example leaves BGP to its defaults")
    for device in variant(tmp_path / "inventory", inventory, changes).values():
        if device.platform != "sonic":
            continue
        config = json.loads(render_device(device)[0].content)
        lines = list((managed if "BGP_GLOBALS" in config else bgpcfgd)(config))
        allows = style == "own AS number" and device.role == "leaf"
        assert any(line.endswith(" allowas-in 2") for line in lines) == allows
        assert len(lines) > len(config["BGP_NEIGHBOR"])
        assert not complaint(vtysh, lines, tmp_path)


def test_the_judge_refuses_what_is_wrong(vtysh: str, tmp_path: Path) -> None:
    """An AS number that is none."""
    assert "Unknown command" in complaint(vtysh, ["router bgp 0x10"], tmp_path)
