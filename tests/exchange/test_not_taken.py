"""What an import does not take in, or guesses, is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.core.errors import InputError
from fabric.exchange.roles import complete, with_hosts
from tests.exchange.plants import put, read

NETLAB = """
groups: {leaf: {members: [l1, l2]}, spine: {members: [s1]}, host: {members: [h1, h2]}}
defaults.device: frr
nodes: {l1: {}, l2: {}, s1: {}, odd: {}, h1: {device: linux}, h2: {device: linux}}
links:
- l1-s1
- l2-s1
- h1-l1
- h2-l2
- h1-odd
- {l1: , l2: , disable: true}
- {l1: , s1: , type: tunnel}
- {l2: , s1: , ipv4: 10.0.0.0/30, ipv6: true, bandwidth: 1000}
"""
CONTAINERLAB = """
topology:
  nodes:
    leaf1: {kind: linux, group: leaf}
    spine1: {kind: linux, group: spine}
    gpu1: {kind: linux, group: host}
    pc: {kind: linux}
    far: {kind: linux}
  links:
  - endpoints: ["leaf1:eth1", "spine1:eth1"]
  - endpoints: ["leaf1:eth2", "gpu1:eth1"]
  - endpoints: ["leaf1:eth3", "pc:eth1"]
  - endpoints: ["spine1:eth2", "far:eth1"]
"""
NETQ = """
Hostname  Interface  Peer Hostname  Peer Interface
--------  ---------  -------------  ---------------------
leaf1     swp1       gpu1           mac:00:11:22:33:44:55
leaf1     swp2       spine1         swp1
"""
CASES = {
    "netlab": (
        NETLAB,
        [
            "links with disable are ignored (1): l1 - l2",
            "links of type tunnel have no cable and are ignored (1): l1 - s1",
            *(f"links have {word}, which is not read (1): l2 - s1"
              for word in ("bandwidth", "ipv4", "ipv6")),
        ],
    ),
    "containerlab": (
        CONTAINERLAB,
        [
            "nodes of kind linux with one cable, to a leaf, are taken for hosts (1): pc",
            "nodes of kind linux have no role, which is guessed by their cables (1): far",
        ],
    ),
    "netq": (NETQ, ["cables end at a MAC address and are ignored (1): gpu1"]),
}  # fmt: skip


@pytest.mark.parametrize("form", CASES)
def test_it_is_named(tmp_path: Path, form: str) -> None:
    text, expected = CASES[form]
    done = read(form, put(tmp_path, {"source.yml": text.lstrip()}))
    assert set(expected) <= {note.message for note in done.notes}
    if form == "containerlab":
        assert done.plant.device["pc"].kind == "host"


def test_a_switch_beside_the_fabric_is_left_out(tmp_path: Path) -> None:
    plant, notes = complete(read("netlab", put(tmp_path, {"source.yml": NETLAB})).plant, "x")
    assert "odd" not in plant.device
    named = "switches without a role have cables to hosts alone, and are ignored (1): odd"
    assert named in [note.message for note in notes]


def test_a_host_that_is_seen_without_its_port_is_no_unknown_name(tmp_path: Path) -> None:
    done = read("netq", put(tmp_path, {"source.yml": NETQ.lstrip()}))
    with pytest.raises(InputError) as error:
        with_hosts(done.plant, "gpu[1-2]", "x", done.notes)
    gpu1, gpu2 = error.value.findings
    assert "its port is unknown" in gpu1.message
    assert gpu2.message == "no such device"
