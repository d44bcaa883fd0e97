"""Two configurations say the same to packets, whatever else differs between them."""

from __future__ import annotations

from fabric.observe.configuration import configured
from fabric.observe.configuration.meaning import meaning, with_own
from tests.cases import each

_OURS = """\
feature bgp
interface Ethernet1/1
  no switchport
  ip address 10.254.0.1/31
  no shutdown
vlan 101
interface Ethernet1/2
  switchport
  switchport access vlan 101
  no shutdown
router bgp 65101
  address-family ipv4 unicast
    network 10.64.0.0/24
    network 10.255.0.1/32
  neighbor 10.254.0.0
    remote-as 65100
    address-family ipv4 unicast
"""
_MANAGEMENT = (
    "interface mgmt0\n  vrf member management\n  ip address 192.0.2.2/24\n"
    "vrf context management\n  ip route 0.0.0.0/0 192.0.2.1\n"
)
#: What runs, by what of our lines is another one and what stands before them; and whether packets
#: go as planned.
CASES = {
    "as planned": ("", "", "", True),
    "lines of management above": ("", "", _MANAGEMENT, True),
    "a VLAN without ports": ("", "", "vlan 1\n", True),
    "a port that is shut": ("", "", "interface Ethernet1/9\n  shutdown\n", True),
    "a threshold of ECN": ("", "", "policy-map type queuing ROCE-OUT\n", True),
    "networks in another order": (
        "    network 10.64.0.0/24\n    network 10.255.0.1/32\n",
        "    network 10.255.0.1/32\n    network 10.64.0.0/24\n",
        "",
        True,
    ),
    "another address": ("10.254.0.1/31", "10.254.0.3/31", "", False),
    "another VLAN of a port": ("access vlan 101", "access vlan 102", "", False),
    "a VLAN that is not there": ("vlan 101\ninterface", "interface", "", False),
    "a port that is up": ("", "", "interface Ethernet1/9\n  no shutdown\n", False),
    "a static route of the fabric": ("", "", "ip route 10.65.0.0/16 10.254.0.0\n", False),
    "another neighbour AS": ("remote-as 65100", "remote-as 65109", "", False),
}


@each("name", CASES)
def test_what_runs_leads_packets_as_what_is_planned(name: str) -> None:
    old, new, above, is_same = CASES[name]
    assert old in _OURS
    planned = configured("nxos", _OURS)
    running = configured("nxos", above + (_OURS.replace(old, new, 1) if old else _OURS))
    assert planned is not None
    assert running is not None
    assert (meaning(running) == meaning(with_own(planned, running))) is is_same
