"""Addresses: each one once, each in its subnet, each /31 with two ends."""

from __future__ import annotations

import ipaddress
import shutil
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.core.errors import InputError
from fabric.core.units import ipv4_text
from fabric.design.designs import Designs
from fabric.topology import Fabric
from fabric.topology.model import NO_VLAN
from fabric.topology.routed import PAIR
from tests.cases import examples
from tests.topology.fabrics import EXAMPLES, INVENTORY, document, example, fabric, intent

Truth = dict[Any, Any]
DESIGNS = st.sampled_from(["rail-optimised", "classic-tor"])
VLANS = st.sampled_from(["rail", "nic", "none"])
#: What each design adds to a small fabric.yaml; pods come with their units.
PODS: dict[str, Any] = {
    "platforms__super_spine": {"sku": "ACS-MSN4700"},
    "addressing__core_links": "10.200.0.0/16",
}
ANY_DESIGN: dict[str, dict[str, Any]] = {
    "rail-optimised": {},
    "rail-only": {"design": "rail-only", "spines": None},
    "classic-tor": {"design": "classic-tor"},
    "dual-tor": {"nic_ports": 2},
    "dual-plane": {"nic_ports": 2, "planes": 2},
    "three-tier": {"design": "classic-tor", **PODS},
    "three-tier dual-plane": {"nic_ports": 2, "planes": 2, **PODS},
}


def check(built: Fabric) -> None:
    """Assert all that must hold of the addresses of a fabric."""
    file, subnets, nics, up = built.intent.fabric, built.subnets, built.nics, built.uplinks
    used = set(nics.subnet.tolist())
    addresses = [
        *built.switches.loopback.tolist(),
        *nics.address.tolist(),
        *(int(subnets.gateway[row]) for row in used),
        *up.lower_address.tolist(),
        *up.upper_address.tolist(),
    ]
    assert [ipv4_text(item) for item, count in Counter(addresses).items() if count > 1] == []
    for row in range(len(subnets)):
        network = ipaddress.ip_network(subnets.text(row))
        assert network.subnet_of(file.addressing.hosts)
        pair = network.prefixlen == PAIR
        assert int(subnets.gateway[row]) in map(int, (network[0 if pair else 1], network[-2]))
    for row in range(len(nics)):
        subnet = int(nics.subnet[row])
        network = ipaddress.ip_network(subnets.text(subnet))
        assert ipaddress.ip_address(int(nics.address[row])) in network
        if network.prefixlen < PAIR:
            assert int(nics.address[row]) not in map(int, (network[0], network[-1]))
        assert subnets.leaf[subnet] == nics.leaf[row]
        assert subnets.rail[subnet] == nics.rail[row]
    for row in range(len(up)):
        low, high = int(up.upper_address[row]), int(up.lower_address[row])
        assert low % 2 == 0
        assert high == low + 1
        assert ipaddress.ip_address(low) in file.addressing.uplinks
    pool = file.addressing.loopbacks
    assert all(ipaddress.ip_address(item) in pool for item in built.switches.loopback.tolist())
    pairs = zip(subnets.leaf.tolist(), subnets.vlan.tolist(), strict=True)
    keys = [(leaf, vlan) for leaf, vlan in pairs if vlan != NO_VLAN]
    assert len(set(keys)) == len(keys)
    assert len({int(network) for network in subnets.network}) == len(subnets)


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name: str) -> None:
    """The examples of the repository."""
    check(example(name))


@examples(60)
@given(
    sizes=st.lists(st.integers(1, 5), min_size=1, max_size=4),
    spines=st.integers(1, 4),
    links=st.integers(1, 2),
    rails=st.integers(1, 3),
    design=DESIGNS,
    vlan_per=VLANS,
)
def test_any_fabric(
    sizes: list[int], spines: int, links: int, rails: int, design: str, vlan_per: str
) -> None:
    """Whatever the shape."""
    check(small(sizes, spines, links, rails, design, vlan_per))


def test_positions_of_the_demo() -> None:
    """Some addresses worked out by hand."""
    built = example("demo")
    row = built.host_row["gpu004"] * built.rails + 1
    assert ipv4_text(int(built.nics.address[row])) == "10.64.3.3"
    assert ipv4_text(int(built.subnets.gateway[built.nics.subnet[row]])) == "10.64.3.1"
    spine, leaf = built.switch_row["spine02"], built.switch_row["su2-rail1"]
    assert ipv4_text(int(built.switches.loopback[spine])) == "10.255.0.2"
    assert ipv4_text(int(built.switches.loopback[leaf])) == "10.255.0.132"
    link = int(built.uplinks_of(leaf)[1])
    assert built.uplinks.upper[link] == spine
    assert ipv4_text(int(built.uplinks.lower_address[link])) == "10.254.1.131"


def truth(built: Fabric) -> Truth:
    """Return everything that a person or a device would have to change, by what it belongs to."""
    switches, nics, up, subnets = built.switches, built.nics, built.uplinks, built.subnets
    results: Truth = {}
    for row, name in enumerate(switches.names):
        results["switch", name] = (
            switches.role(row),
            int(switches.asn[row]),
            int(switches.loopback[row]),
            switches.skus[row].name,
        )
    for row in range(len(nics)):
        leaf, subnet = int(nics.leaf[row]), int(nics.subnet[row])
        key = (built.hosts.names[int(nics.host[row])], int(nics.rail[row]), int(nics.nic_port[row]))
        results[("nic", *key)] = (
            switches.names[leaf],
            int(nics.port[row]),
            int(nics.address[row]),
            int(subnets.network[subnet]),
            int(subnets.gateway[subnet]),
            int(subnets.vlan[subnet]),
            switches.names[int(subnets.leaf[subnet])],
            int(subnets.rail[subnet]),
        )
    for row in range(len(up)):
        leaf, spine = switches.names[int(up.lower[row])], switches.names[int(up.upper[row])]
        results["uplink", leaf, int(up.lower_port[row])] = (
            spine,
            int(up.upper_port[row]),
            int(up.lower_address[row]),
            int(up.upper_address[row]),
        )
    return results


def small(
    sizes: list[int], spines: int, links: int, rails: int, design: str, vlan_per: str
) -> Fabric:
    """Return a fabric of units of some sizes."""
    units = [
        {"name": f"su{number}", "hosts": f"u{number}h[1-{size}]"}
        for number, size in enumerate(sizes, 1)
    ]
    return fabric(
        units=units,
        spines={"count": spines, "links_per_leaf": links},
        rails=rails,
        design=design,
        addressing__vlan_per=vlan_per,
    )


@examples(60)
@given(
    sizes=st.lists(st.integers(1, 4), min_size=1, max_size=3),
    more_units=st.lists(st.integers(1, 4), max_size=2),
    more_hosts=st.integers(0, 1),
    spines=st.integers(1, 3),
    more_spines=st.integers(0, 3),
    links=st.integers(1, 2),
    rails=st.integers(1, 3),
    design=DESIGNS,
    vlan_per=VLANS,
)
def test_growth_at_the_end_changes_nothing(  # noqa: PLR0913, PLR0917
    sizes: list[int],
    more_units: list[int],
    more_hosts: int,
    spines: int,
    more_spines: int,
    links: int,
    rails: int,
    design: str,
    vlan_per: str,
) -> None:
    """Units at the end, hosts at the end of every unit, spines at the end, all at once."""
    before = truth(small(sizes, spines, links, rails, design, vlan_per))
    grown = [size + more_hosts for size in sizes] + more_units
    after = truth(small(grown, spines + more_spines, links, rails, design, vlan_per))
    assert {key: after.get(key) for key in before} == before
    assert len(after) >= len(before)


@dataclass(frozen=True)
class Size:
    """How much there is of everything that can be added at the end."""

    units: tuple[tuple[int, int], ...]  #: pod and hosts of each unit
    spines: int
    cores: int

    def realised(self, design: str, vlan_per: str) -> Fabric:
        """Return a fabric of this size."""
        changes = {**ANY_DESIGN[design], "addressing__vlan_per": vlan_per}
        pods = "platforms__super_spine" in changes
        changes["units"] = [
            {"name": f"su{n}", "hosts": f"u{n}h[1-{hosts}]"} | ({"pod": f"p{pod}"} if pods else {})
            for n, (pod, hosts) in enumerate(self.units, 1)
        ]
        if "spines" not in changes:
            changes["spines"] = {"count": self.spines}
        if pods:
            top = {"count": self.cores, "groups": 2, "links_per_spine": 2, "spines_per_pod": 4}
            changes["super_spines"] = top
        return fabric(**changes)


@st.composite
def growth(draw: st.DrawFn) -> tuple[Size, Size]:
    """Return a size and one that is larger: in units, hosts, pods, spines and super-spines."""
    first = [(pod, draw(st.integers(1, 3))) for pod in range(draw(st.integers(1, 2)))]
    units = [*first, *draw(st.lists(st.tuples(st.integers(0, 1), st.integers(1, 3)), max_size=1))]
    more = draw(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 3)), max_size=2))
    spines, cores = draw(st.integers(1, 2)), draw(st.integers(1, 3))
    longer = [(pod, hosts + draw(st.integers(0, 1))) for pod, hosts in units]
    grown = Size(
        (*longer, *more), spines + draw(st.integers(0, 2)), cores + draw(st.integers(0, 2))
    )
    return Size(tuple(units), spines, cores), grown


@pytest.mark.parametrize("design", ANY_DESIGN)
@examples(15)
@given(sizes=growth(), vlan_per=VLANS)
def test_growth_and_shrinking_in_any_design(
    design: str, sizes: tuple[Size, Size], vlan_per: str
) -> None:
    """What the smaller fabric has, the larger one has in the same place; and the other way round.

    Pods are counted in the order in which units name them first, so a new one stands at the end.
    """
    small_one, large_one = (truth(size.realised(design, vlan_per)) for size in sizes)
    assert {key: large_one.get(key) for key in small_one} == small_one


def test_own_names_grow_too() -> None:
    """Names that are longer than the fabric are kept for later."""
    names = {"leaf_names": "tor[01-20]", "spine_names": "core[1-9]"}
    before = truth(fabric(**names))
    units = [*document()["units"], {"name": "su3", "hosts": "c1"}]
    after = truth(fabric(units=units, spines={"count": 4}, **names))
    assert {key: after.get(key) for key in before} == before
    assert ("switch", "tor01") in before
    assert ("switch", "core2") in before


@pytest.mark.parametrize("name", EXAMPLES)
def test_same_inventory_same_fabric(name: str) -> None:
    """Loading again gives the same tables, number by number."""
    from fabric.intent.inventory import load
    from fabric.topology import realise

    first, second = example(name), realise(load(INVENTORY / name))
    assert truth(first) == truth(second)
    for table in ("switches", "hosts", "nics", "subnets", "uplinks"):
        for field, value in vars(getattr(first, table)).items():
            if isinstance(value, np.ndarray):
                assert np.array_equal(value, getattr(getattr(second, table), field)), field


OWN_LINKS = """devices:
- names: su1-rail0
  ports: {Ethernet128: {address: %s}, Ethernet136: {address: %s}}
"""


def test_a_cable_has_a_30_where_the_inventory_sets_one(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    shutil.copytree(INVENTORY / "demo", folder)
    (folder / "devices/own.yaml").write_text(OWN_LINKS % ("10.9.0.9/30", "10.9.0.5"))
    devices = Designs(folder).devices
    ports = {port.name: port for port in devices["su1-rail0"].ports}
    assert (ports["Ethernet128"].address, ports["Ethernet136"].address) == (
        "10.9.0.9/30",
        "10.9.0.5/31",
    )
    near = {one.local_address: one.address for one in devices["su1-rail0"].bgp.neighbours}
    assert near == {"10.9.0.9": "10.9.0.10", "10.9.0.5": "10.9.0.4"}
    far = [one for name in ("spine01", "spine02") for one in devices[name].bgp.neighbours]
    assert {"10.9.0.9", "10.9.0.5"} <= {one.address for one in far}


@pytest.mark.parametrize(
    "address", ["10.9.0.8/30", "10.9.0.11/30", "10.9.0.9/29", "10.9.0.9/32", "10.9.0", "x"]
)
def test_an_address_that_no_end_of_a_cable_has_is_an_error(tmp_path: Path, address: str) -> None:
    folder = tmp_path / "demo"
    shutil.copytree(INVENTORY / "demo", folder)
    (folder / "devices/own.yaml").write_text(OWN_LINKS % (f'"{address}"', "10.9.0.5"))
    with pytest.raises(InputError) as caught:
        Designs(folder).devices  # noqa: B018 - reads
    (finding,) = caught.value.findings
    assert f"{address!r} is not an end of a cable" in str(finding)
    assert "own.yaml:3:" in str(finding)


def test_a_gateway_beyond_ipv4_is_a_finding_and_no_overflow() -> None:
    """ADR004 names the offset; a number that no subnet has is refused when it is read."""
    pool = {"hosts": "255.255.0.0/16", "gateway_offset": 2**24 - 2}
    built = fabric(addressing={**document()["addressing"], **pool})
    assert int(built.subnets.gateway.max()) == 2**32 - 1
    for offset in (2**24, 2**63):
        with pytest.raises(InputError) as caught:
            intent(document(addressing={**document()["addressing"], "gateway_offset": offset}))
        assert caught.value.findings[0].field == "fabric.addressing.gateway_offset"
