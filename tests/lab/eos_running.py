"""What the tests of the EOS stand-in share: configuration, loop in a thread, NAPALM driver."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import TYPE_CHECKING, Any

from fabric.lab.clock import LabClock
from fabric.lab.spec import Neighbour, StandInSpec
from fabric.systems.eos.lab import EosStandIn

if TYPE_CHECKING:
    from collections.abc import Iterator

PASSWORD = "lab-Passw0rd"

MANAGEMENT = """\
no aaa root
username admin privilege 15 role network-admin secret sha512 $6$abcdefgh$0123456789./ABC
transceiver qsfp default-mode 4x10G
logging host 192.0.2.20
hostname leaf1
ip name-server vrf MGMT 192.0.2.53
ntp server vrf MGMT 192.0.2.123 prefer
spanning-tree mode mstp
aaa authorization exec default local
vrf instance MGMT
interface Management1
   vrf MGMT
   ip address 192.0.2.11/24
ip route vrf MGMT 0.0.0.0/0 192.0.2.1
management api http-commands
   protocol https port 443
   no shutdown
   !
   vrf MGMT
      no shutdown
management ssh
   idle-timeout 15
"""

LEAF = """\
service routing protocols model multi-agent
qos profile ROCE
   qos trust dscp
   priority-flow-control on
   priority-flow-control priority 3 no-drop
   priority-flow-control pause watchdog
   !
   uc-tx-queue 1
      no priority
      bandwidth percent 5
   !
   uc-tx-queue 3
      no priority
      bandwidth percent 95
      random-detect ecn minimum-threshold 256 kbytes maximum-threshold 512 kbytes \
max-mark-probability 100 weight 0
      random-detect ecn count
   !
   uc-tx-queue 6
      priority strict
vlan 101
   name RAIL1
interface Ethernet1/1
   description GPU-NODE1-NIC1
   mtu 9214
   speed 400g-4
   switchport access vlan 101
   switchport mode access
   switchport
   service-profile ROCE
   spanning-tree portfast
interface Ethernet49/1
   description spine1
   mtu 9214
   speed 400g-4
   no switchport
   ip address 10.0.0.1/31
   service-profile ROCE
interface Ethernet50/1
   description spine2
   mtu 9214
   speed 400g-4
   no switchport
   ip address 10.0.0.3/31
   service-profile ROCE
interface Loopback0
   ip address 10.255.0.11/32
interface Vlan101
   mtu 9214
   ip address 10.1.1.2/24
   arp aging timeout 1500
   arp monitor mac-address
   ip virtual-router address 10.1.1.1
mac address-table aging-time 1800
ip virtual-router mac-address 00:1c:73:00:00:99
ip routing
ip prefix-list PL-LO
   seq 10 permit 10.255.0.0/24 eq 32
   seq 20 permit 10.1.0.0/16 ge 24
qos map dscp 26 to traffic-class 3
qos map dscp 48 to traffic-class 6
qos map traffic-class 3 to tx-queue 3
qos map traffic-class 6 to tx-queue 6
priority-flow-control pause watchdog default timeout 0.20
priority-flow-control pause watchdog default recovery-time 0.20
priority-flow-control pause watchdog default polling-interval 0.100
priority-flow-control pause watchdog action drop
route-map RM-CONN permit 10
   match ip address prefix-list PL-LO
router bfd
   interval 300 min-rx 300 multiplier 3 default
router bgp 65101
   router-id 10.255.0.11
   no bgp default ipv4-unicast
   maximum-paths 64 ecmp 64
   neighbor FABRIC peer group
   neighbor FABRIC bfd
   neighbor FABRIC send-community
   neighbor FABRIC maximum-routes 12000
   neighbor 10.0.0.0 peer group FABRIC
   neighbor 10.0.0.0 remote-as 65001
   neighbor 10.0.0.2 peer group FABRIC
   neighbor 10.0.0.2 remote-as 65001
   redistribute connected route-map RM-CONN
   !
   address-family ipv4
      neighbor FABRIC activate
"""

FULL = MANAGEMENT + LEAF

CABLES = (
    Neighbour("Ethernet1/1", "gpu1", "ens1np0", "02:00:00:00:00:01"),
    Neighbour("Ethernet49/1", "spine1", "Ethernet1/1", "02:00:00:00:01:00"),
    Neighbour("Ethernet50/1", "spine2", "Ethernet1/1", "02:00:00:00:02:00"),
)


def spec_of(running: str = MANAGEMENT, **options: str) -> StandInSpec:
    """Return a leaf switch."""
    return StandInSpec(
        "leaf1", "eos", "admin", PASSWORD, "00:1c:73:00:00:11", "JPE00000001",
        model="DCS-7060X6-64PE", running=running, neighbours=CABLES, options=options,
    )  # fmt: skip


class Served:
    """A stand-in that serves in the loop of another thread."""

    def __init__(self, spec: StandInSpec) -> None:
        self.clock = LabClock()
        self.device = EosStandIn(spec, self.clock)
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever)
        self.thread.start()
        self.wait(self.device.start())

    def wait(self, work: Any) -> Any:
        """Run a coroutine in the loop of the stand-in."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(timeout=20)

    def close(self) -> None:
        """Stop the stand-in and its loop."""
        self.wait(self.device.stop())
        self.wait(self.loop.shutdown_default_executor())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(timeout=20)
        self.loop.close()

    def driver(self, password: str = PASSWORD, timeout: int = 20) -> Any:
        """Return a NAPALM driver that is not open yet."""
        from napalm import get_network_driver

        return get_network_driver("eos")(
            "127.0.0.1", "admin", password, timeout=timeout,
            optional_args={"port": self.device.port, "transport": "https"},
        )  # fmt: skip

    @contextlib.contextmanager
    def opened(self) -> Iterator[Any]:
        """Yield an open NAPALM driver."""
        driver = self.driver()
        driver.open()
        try:
            yield driver
        finally:
            driver.close()


@contextlib.contextmanager
def serving(spec: StandInSpec | None = None) -> Iterator[Served]:
    """Yield a stand-in that serves."""
    served = Served(spec or spec_of())
    try:
        yield served
    finally:
        served.close()
