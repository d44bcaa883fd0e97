"""Juniper Junos and Junos OS Evolved on QFX switches.

Sources: Juniper/jvd @ 005ab344 data_center/aidc (whole configurations that the vendor validated),
Juniper/yang @ 2a696d62 24.4R1-EVO junos-conf-*, juniper.net CLI reference: aging-timer (20
minutes), global-mac-table-aging-time (300 s), hold-time (3 s and more), mtu.
"""

from fabric.platforms.model import platforms
from fabric.platforms.refresh import NeighbourRefresh
from fabric.platforms.system import Platform, Reserve

#: Poll, detection and restoration of a bare ``pfc-watchdog`` (juniper.net,
#: cos-pfc-watchdog-configure).
DEFAULT_WATCHDOG_MS = (100, 200, 200)

#: Bytes of an untagged frame that ``mtu`` of a port, and of irb, counts beside the packet; the
#: check sequence does not count (juniper.net, interfaces-configuring-media-mtu and mtu).
FRAME_EXTRA_BYTES = 14
#: Values of ``chassis maximum-ecmp`` that are rendered: the powers of two, as the CLI reference of
#: juniper.net lists them, out of the multiples of 32 that the schema takes (Juniper/yang @ 3b347867
#: 24.4R1-EVO junos-conf-chassis). The last one is the most that bgp.max_paths can be.
ECMP_LIMITS = (32, 64, 128, 256)
#: Range of ``mtu``.
_FRAME_BYTES = (256, 9216)

#: Classes of RoCE and of CNPs (Juniper/jvd), and those that every switch has.
LOSSLESS_CLASS, CNP_CLASS = "NO-LOSS", "CNP"
DEFAULT_CLASS, DEFAULT_QUEUE = "best-effort", 0
CONTROL_CLASS, CONTROL_QUEUE = "network-control", 7
#: Cap of the strict CNP queue (Juniper/jvd s2-cnp), and the share kept for BGP and LLDP, as a queue
#: without a scheduler has the least buffer (juniper.net cos-configuring-forwarding-classes).
CNP_CAP_PERCENT = 5
CONTROL_PERCENT = 5

JUNOS = platforms.add("junos")(
    Platform(
        name="junos",
        title="Juniper Junos",
        artefact="junos.set",
        port_mtu_bytes=(_FRAME_BYTES[0] - FRAME_EXTRA_BYTES, _FRAME_BYTES[1] - FRAME_EXTRA_BYTES),
        fixed_mac_ageing_s=None,
        # What rocefab sets: ARP ageing and 10 minutes more, as Juniper asks for leaves with EVPN
        # (CLI reference, global-mac-table-aging-time), and enough for 20 minutes of ARP.
        default_mac_ageing_s=1800,
        neighbour_refresh=NeighbourRefresh(
            "request when the ageing timer ends",
            "Juniper KB19396 (a request when the timer reaches its value +/- 25 %, with traffic or "
            "without)",
            spread=1.25,
        ),
        # Nobody has published ranges: those of the inventory. JUN005 warns about other values than
        # DEFAULT_WATCHDOG_MS.
        watchdog_ms={"detection": (1, 60000), "restoration": (1, 60000), "poll": (1, 30000)},
        verb="set ",
        speed_words="plain",
        reserves=(
            Reserve("CNPs", CNP_CAP_PERCENT),
            Reserve(CONTROL_CLASS, CONTROL_PERCENT, CONTROL_QUEUE),
        ),
        shares_buffer=True,
        source="Juniper/jvd @ 005ab344, Juniper/yang @ 2a696d62, juniper.net CLI reference",
        grade="beta",
        default_port=830,  # RFC 6242 clause 5
        rule_prefix="JUN",
        management_vrf="mgmt_junos",
        fixed_vrf=True,
        evpn_sessions="loopback",
        reads_pfc=True,
    )
)

#: Parts in which the order counts: what differs in one of them is written anew.
ORDERED_PARTS = (
    r"policy-options policy-statement \S+",
    r"class-of-service drop-profiles \S+",
)
