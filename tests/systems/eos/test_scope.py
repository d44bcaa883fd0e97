"""Lines of others in our sections: what stays, what goes, and that a second change is empty."""

from __future__ import annotations

import tempfile
from pathlib import Path

import yaml

from fabric.design.designs import Designs
from fabric.render.scope import MARK
from fabric.systems.eos.adapters import stanzas
from fabric.systems.eos.render import render_eos
from fabric.systems.eos.scope import merged
from tests.cases import each
from tests.topology import fabrics

OURS = f"""! {MARK}
hostname leaf1
!
vlan 101
   name RAIL0
!
qos profile ROCE
   qos trust dscp
   priority-flow-control on
   priority-flow-control priority 4 no-drop
   !
   tx-queue 4
      bandwidth percent 50
!
interface Ethernet1/1
   description gpu001 eth1
   mtu 9216
   switchport access vlan 101
   service-profile ROCE
!
interface Vlan101
   ip address 10.64.0.1/24
!
router bgp 65101
   router-id 10.255.0.1
   neighbor SPINES peer group
   neighbor 10.254.0.0 peer group SPINES
   neighbor 10.254.0.0 remote-as 65100
   redistribute connected route-map RM-FABRIC
"""
RUNS = """hostname leaf1
!
aaa authorization exec default local
!
ntp server 192.0.2.1
!
vlan 101
   name OLD
!
vlan 4000
   name STORAGE
!
qos profile ROCE
   qos trust cos
   priority-flow-control on
   priority-flow-control priority 3 no-drop
   tx-queue 3
      bandwidth percent 50
   tx-queue 4
      bandwidth percent 10
      shape rate 1000
!
qos profile STORAGE
   qos trust dscp
!
interface Ethernet1/1
   description old
   shutdown
   mtu 1500
   switchport access vlan 7
   ip access-group STORAGE in
   storm-control broadcast level 1
!
interface Ethernet9/1
   description of others
!
interface Vlan101
   ip address 10.64.0.9/24
   ip address 192.0.2.9/24 secondary
   ip access-group GPU in
!
interface Vlan4000
   ip address 198.51.100.1/24
!
router bgp 65101
   router-id 10.255.0.9
   neighbor SPINES peer group
   neighbor SPINES bfd
   neighbor 10.254.0.0 peer group SPINES
   neighbor 10.254.0.0 remote-as 65999
   neighbor EVPN peer group
   neighbor 192.0.2.7 peer group EVPN
   neighbor 192.0.2.7 remote-as 65000
   address-family evpn
      neighbor EVPN activate
!
"""
KEPT = [
    "aaa authorization exec default local",
    "ntp server 192.0.2.1",
    "vlan 4000\n   name STORAGE",
    "qos profile STORAGE\n   qos trust dscp",
    "interface Ethernet9/1\n   description of others",
    "interface Vlan4000\n   ip address 198.51.100.1/24",
]
OTHERS = [
    "interface Ethernet1/1: ip access-group STORAGE in",
    "interface Ethernet1/1: storm-control broadcast level 1",
    "interface Vlan101: ip address 192.0.2.9/24 secondary",
    "interface Vlan101: ip access-group GPU in",
    "router bgp 65101: neighbor EVPN peer group",
    "router bgp 65101: neighbor 192.0.2.7 peer group EVPN",
    "router bgp 65101: neighbor 192.0.2.7 remote-as 65000",
    "router bgp 65101: address-family evpn",
    "router bgp 65101: address-family evpn: neighbor EVPN activate",
]


def both(running: str = RUNS, intended: str = OURS):
    return merged(stanzas(running), stanzas(intended))


def test_lines_of_others_stay_and_are_named() -> None:
    result = both()
    assert result.stanzas[: len(KEPT)] == KEPT
    assert [": ".join(path) for path in result.others] == OTHERS


def test_ours_are_as_the_inventory_has_them() -> None:
    text = "\n".join(both().stanzas)
    for gone in (
        *("name OLD", "qos trust cos", "priority 3 no-drop", "percent 10", "description old"),
        *(
            "tx-queue 3",
            "shape rate",
            "shutdown",
            "mtu 1500",
            "vlan 7",
            "10.64.0.9/24",
            "10.255.0.9",
            "65999",
            "SPINES bfd",
        ),
    ):
        assert gone not in text
    for stanza in stanzas(OURS):
        for line in stanza.splitlines():
            assert line.strip() == "!" or line in text


def test_a_second_change_is_empty() -> None:
    once = "\n".join(both().stanzas)
    assert sorted(both(running=once).stanzas) == sorted(both().stanzas)


FOREIGN = (
    "interface Ethernet1/1\n   ip access-group X in",
    "interface Ethernet1/1\n   lldp tlv transmit management-address vrf MGMT",
    "router bgp 65101\n   vlan 4000\n      rd 1:1\n      route-target both 1:1",
    "router bgp 65101\n   vrf STORAGE\n      rd 2:2",
    "snmp-server community SECRET ro",
    "banner login\nhostname evil\nEOF",
    "interface Vxlan1\n   vxlan vlan 4000 vni 4000",
    "ip access-list X\n   10 permit ip any any",
)


@each("one", FOREIGN)
@each("other", FOREIGN)
def test_a_change_never_touches_lines_outside_its_scope(one: str, other: str) -> None:
    """What others added to a switch as we left it is there after the next change, whole."""
    ours = "\n".join(stanzas(OURS))
    runs = ours
    for extra in {one, other}:
        head, _, rest = extra.partition("\n")
        runs = (
            runs.replace(f"{head}\n", f"{head}\n{rest}\n")
            if f"{head}\n" in ours
            else (f"{runs}\n{extra}")
        )
    after = "\n".join(both(running=runs).stanzas)
    assert sorted(after.splitlines()) == sorted(
        line for line in runs.splitlines() if line.strip() != "!"
    )


def test_equal_stanzas_of_others_all_stay() -> None:
    runs = f"{OURS}!! noted\nalias one show version\n!! noted\nalias two show version\n"
    assert both(running=runs).stanzas.count("!! noted") == 2


def test_another_as_is_a_conflict() -> None:
    assert both().conflicts == ()
    (conflict,) = both(running=RUNS.replace("65101", "65000")).conflicts
    assert conflict.startswith("router bgp 65000 runs")


SKUS = ("leaf", "spine")
CHANGES = {
    "lossless__pfc_priority": 4,
    "lossless__traffic_class": 4,
    "lossless__queue": 4,
    "lossless__roce_dscp": 24,
    "lossless__ecn": {"kmin_bytes": 100_000, "kmax_bytes": 900_000, "pmax_percent": 50},
    "lossless__watchdog": {"enabled": False},
    "lossless__mtu": {"port_bytes": 9000, "host_bytes": 4200},
    "bgp__bfd": True,
    "bgp__max_paths": 32,
    "arp__timeout_s": 300,
}


@each("field", CHANGES)
@each("turned", [False, True])
def test_every_line_that_a_policy_changes_is_known_as_ours(field: str, *, turned: bool) -> None:
    """Both ways: nothing of the old policy stays."""
    base = {"platforms": {role: {"sku": "7060X6-64PE", "scope": "merge"} for role in SKUS}}
    texts = [rendered(base), rendered({**base, field: CHANGES[field]})]
    assert texts[0] != texts[1]
    for old, new in zip(*(texts[:: -1 if turned else 1]), strict=True):
        result = both(running=old, intended=new)
        assert result.others == []
        kept = [one for one in result.stanzas if not one.startswith("router bfd")]
        assert kept == [one for one in stanzas(new) if not one.startswith("router bfd")]


def rendered(changes: dict) -> list[str]:
    """Return the file of each switch of a small fabric."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "fabric.yaml").write_text(yaml.safe_dump(fabrics.document(**changes)))
        devices = Designs(folder).devices
        return [render_eos(one)[0].text for one in devices.values()]
