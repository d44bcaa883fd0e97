"""Virtual labs: how others write them, and what is written for the programs that start them."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from fabric.core.errors import InputError
from fabric.core.exports import export, exporters
from fabric.exchange.lab import Lab, interfaces
from fabric.exchange.numbered import with_names
from fabric.exchange.plant import Cable, Device, Nic, Plant
from fabric.platforms.catalogue import sku
from tests.exchange.plants import put, read

GOLDEN = Path(__file__).with_name("labs")
SWITCH = "ACS-MSN4700"
SMALL = Plant(
    "small",
    (
        Device("leaf1", "switch", "leaf", "u1", rail=0, model=SWITCH, system="sonic", asn=65001),
        Device("spine1", "switch", "spine", model="7060X6-64PE", system="eos", asn=65100),
        Device("spine2", "switch", "spine", system="cumulus", asn=65100, serial="a$b"),
        Device("gpu1", "host", unit="u1"),
    ),
    (
        Cable.between(("leaf1", "Ethernet8"), ("spine1", "Ethernet3/1"), 400, 40),
        Cable.between(("leaf1", "Ethernet16"), ("spine2", "swp1")),
        Cable.between(("gpu1", "eth0"), ("leaf1", "Ethernet0"), 400, 3),
    ),
    (Nic("gpu1", "eth0", 0, rdma_device="mlx5_0", address="10.0.0.2/24"),),
)


@pytest.mark.parametrize("part", ["topology", "frr"])
@pytest.mark.parametrize("form", ["containerlab", "netlab"])
def test_written_labs(form: str, part: str, update_golden: bool) -> None:
    (file,) = export(Lab(SMALL), exporters[form], (part,)).files
    golden = GOLDEN / f"{form}-{part}.yml"
    if update_golden:
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(file.text)
    assert file.text == golden.read_text()


def test_interfaces_that_containers_have() -> None:
    """No slash, no colon, at most 15 letters; eth0 is of the management network."""
    ports = ("swp1", "Ethernet1/1", "et-0/0/1:0", "eth0", "lo", "HundredGigE1/0/12", "eth1", "a:b")
    ports = (*ports, "a/b")
    cables = tuple(Cable.between(("s", port), (f"h{n}", "e")) for n, port in enumerate(ports))
    named = interfaces(Plant("", (), cables), numbered=frozenset(), arista=frozenset())
    assert {port: named["s", port] for port in ports} == {
        "swp1": "swp1",
        "Ethernet1/1": "Ethernet1_1",
        "et-0/0/1:0": "et-0_0_1_0",
        "eth0": "eth4",
        "lo": "eth5",
        "HundredGigE1/0/12": "eth2",
        "eth1": "eth1",
        "a/b": "a_b",
        "a:b": "eth3",
    }


@pytest.mark.parametrize("form", ["containerlab", "netlab"])
def test_images_of_the_user(form: str) -> None:
    written = partial(export, exporter=exporters[form])
    text = written(Lab(SMALL, {"frr": "registry:5000/frr@sha256:0a"})).files[0].text
    assert "registry:5000/frr@sha256:0a" in text
    for wrong in ({"frx": "a"}, {"frr": "a b"}, {"frr": "$HOME"}, {"frr": "-v"}, {"frr": "A"}):
        with pytest.raises(InputError, match="cannot be written"):
            written(Lab(SMALL, wrong))


CONTAINERLAB = """\
name: clos
topology:
  defaults: {kind: linux}
  kinds:
    ceos: {image: 'ceos:4.32.0F', labels: {rocefab_unit: u1}}
  groups:
    leafs: {kind: ceos}
  nodes:
    leaf1: {group: leafs, mgmt-ipv4: 172.20.20.11}
    leaf2: {group: leafs, labels: {rocefab_unit: u2, role: tor}}
    spine1: {kind: sonic-vs, labels: {role: fabric}}
    srl1: {kind: nokia_srlinux, type: ixrd3, startup-config: no}
    client1:
    br0: {kind: bridge}
  links:
  - endpoints: ["leaf1:eth1_1", "spine1:eth1"]
  - type: veth
    endpoints:
    - {node: leaf2, interface: Ethernet2/1, mac: 02:00:00:00:00:01}
    - {node: spine1, interface: Ethernet4}
    mtu: 9000
  - endpoints: ["client1:eth1", "leaf1:eth2"]
  - endpoints: ["srl1:e1-3", "leaf1:et3"]
  - endpoints: ["leaf1:eth9", "br0:eth1"]
  - endpoints: ["leaf1:eth8", "host:leaf1-eth8"]
  - endpoints: ["leaf1:eth7", "gone:eth1"]
  - endpoints: ["leaf1:eth5", "leaf1:eth6"]
  - {type: dummy, endpoint: {node: leaf1, interface: eth4}}
  - endpoints: ["leaf2:eth1", "srl1:e1-9"]
    vars: {rocefab: {ports: {leaf1: Ethernet1, spine1: Ethernet0}}}
"""


def test_containerlab_as_people_write_it(tmp_path: Path) -> None:
    source = put(tmp_path, {"t.clab.yml": CONTAINERLAB})
    done = read("containerlab", source, roles={"linux": "host", "fabric": "spine"})
    assert done.plant.devices == (
        Device("leaf1", "switch", "leaf", "u1", system="eos", management="172.20.20.11"),
        Device("leaf2", "switch", "leaf", "u2", system="eos"),
        Device("spine1", "switch", "spine", system="sonic"),
        Device("srl1", "switch"),
        Device("client1", "host"),
    )
    assert [(cable.near, cable.far) for cable in done.plant.cables] == [
        (("leaf1", "Ethernet1/1"), ("spine1", "eth1")),
        (("leaf2", "Ethernet2/1"), ("spine1", "Ethernet4")),
        (("client1", "eth1"), ("leaf1", "eth2")),
        (("leaf1", "et3"), ("srl1", "e1-3")),
        (("leaf2", "eth1"), ("srl1", "e1-9")),
    ]
    assert done.numbers == {
        ("spine1", "eth1"): 1,
        ("client1", "eth1"): 1,
        ("leaf1", "eth2"): 2,
        ("srl1", "e1-3"): 3,
        ("leaf2", "eth1"): 1,
        ("srl1", "e1-9"): 9,
    }
    outside = "leaf1:eth9 to br0:eth1, leaf1:eth8 to host:leaf1-eth8"
    assert [note.message for note in done.notes] == [
        "nodes of kind bridge are ignored (1): br0",
        f"links to bridges and out of the lab are ignored (2): {outside}",
        "links to undefined nodes are ignored (1): leaf1:eth7 to gone:eth1",
        "links from a node to itself are ignored (1): leaf1:eth5 to leaf1:eth6",
        "links out of the lab are ignored (1): dummy at line 28",
        "links have variables of other nodes, which are ignored (1): leaf2:eth1 to srl1:e1-9",
    ]


NETLAB = """\
defaults.device: frr
plugin: [fabric]
nodes:
  leaf1: {device: eos, bgp.as: 65001, mgmt: {ipv4: 192.168.121.101}}
  spine1:
  spine1.device: sonic
  gpu1: {role: host}
  gpu2: {device: linux}
groups:
  spine: {members: [spine1]}
  gpus: {members: [gpu2], config: [x]}
links:
- leaf1-spine1
- [leaf1, gpu1]
- leaf1: {ifindex: 1000}
  spine1: {ifindex: 7}
  bandwidth: 100000
  disable: True
- interfaces: [{node: leaf1, ifindex: 9, ifname: Ethernet9/1}, {node: spine1, ifindex: 5}]
- group: more
  members: [leaf1-gpu2, leaf1-gone, leaf1-leaf1]
- leaf1
- [leaf1, gpu1, gpu2]
- leaf1:
  spine1:
  lag: {ifindex: 1}
- {leaf1: {}, spine1: {}, type: tunnel}
- {leaf1: {}, spine1: {}, rocefab: {ports: {leaf1: a, gpu1: b}}}
"""


def test_netlab_as_people_write_it(tmp_path: Path) -> None:
    source = put(tmp_path, {"topology.yml": NETLAB})
    done = read("netlab", source, roles={"gpus": "host"})
    assert done.plant.devices == (
        Device("leaf1", "switch", system="eos", asn=65001, management="192.168.121.101"),
        Device("spine1", "switch", "spine", system="sonic"),
        Device("gpu1", "host"),
        Device("gpu2", "host"),
    )
    assert [(*cable.near, *cable.far) for cable in done.plant.cables] == [
        ("leaf1", "eth1", "spine1", "eth0"),
        ("gpu1", "eth1", "leaf1", "eth2"),
        ("leaf1", "Ethernet9/1", "spine1", "eth5"),
        ("gpu2", "eth1", "leaf1", "eth3"),
        ("leaf1", "eth8", "spine1", "eth1"),
    ]
    assert done.numbers["spine1", "eth5"] == 6  # its first is 0
    undefined, itself = "leaf1 - gone", "leaf1 - leaf1"
    assert [note.message for note in done.notes] == [
        "links with disable are ignored (1): leaf1 - spine1",
        f"links to undefined nodes are ignored (1): {undefined}",
        f"links from a node to itself are ignored (1): {itself}",
        "links with another number of nodes than two are ignored (2): leaf1, leaf1 - gpu1 - gpu2",
        "links with members of a LAG are ignored (1): leaf1 - spine1",
        "links of type tunnel have no cable and are ignored (1): leaf1 - spine1",
        "links have attributes of other nodes, which are ignored (1): leaf1 - spine1",
        "plugin: nodes and links that it makes are not read",
    ]


NUMBERED = Plant(
    cables=(
        Cable.between(("h", "eth1"), ("s", "eth2"), 400, 3),
        Cable.between(("h", "eth2"), ("s", "Ethernet0")),
    )
)


def test_numbers_of_ports_are_names_of_the_model() -> None:
    numbers = {("h", "eth1"): 1, ("s", "eth2"): 2, ("s", "gone"): 7, ("s", "Ethernet0"): 5}
    done = with_names(NUMBERED, numbers, {"s": sku(SWITCH)}, "x")
    assert done.cables == (
        Cable.between(("h", "eth1"), ("s", "Ethernet8"), 400, 3),
        Cable.between(("h", "eth2"), ("s", "Ethernet0")),
    )


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (33, "ACS-MSN4700 has 32 ports"),
        (0, "ACS-MSN4700 has 32 ports"),
        (1, "it is Ethernet0 of the model, which already has a cable"),
    ],
)
def test_numbers_that_a_model_does_not_have(number: int, message: str) -> None:
    with pytest.raises(InputError) as caught:
        with_names(NUMBERED, {("s", "eth2"): number}, {"s": sku(SWITCH)}, "x")
    assert [finding.message for finding in caught.value.findings] == [message]
