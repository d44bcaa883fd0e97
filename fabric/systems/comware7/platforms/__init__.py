"""H3C Comware 7 (S6800 to S9850, S9820): experimental, from documents alone.

Sources: [CMD] Comware V7 command reference in grayfalcon666/netmiko-h3c-skill @ 4f5e9dfd
references/CMD-help, which leaves most ranges and defaults to the model; [PFC] and [CFG] H3C
configuration guides "Configuring PFC" and "Configuration file management" (resource.h3c.com
20240712/2215988); [HPE] command references of HPE switches of the same code. Comware 9 (S9825,
S9855) is another generation, whose command line differs in places: it is not meant here.
"""

from fabric.platforms.model import platforms
from fabric.platforms.refresh import NeighbourRefresh
from fabric.platforms.system import Platform

COMWARE7 = platforms.add("comware7")(
    Platform(
        name="comware7",
        title="H3C Comware 7",
        artefact="running-config.comware7",
        # The ranges of `mtu` are those of the model: its default, and what a frame of 9216 bytes,
        # the default of most ports [HPE], holds beside an Ethernet header and its check sum.
        port_mtu_bytes=(1500, 9198),
        fixed_mac_ageing_s=None,
        default_mac_ageing_s=300,  # [HPE] 12500 MAC address table commands
        neighbour_refresh=NeighbourRefresh(
            "ageing probes before the timer ends",
            "H3C S6550X-HI command reference, arp timer aging probe-count (3 by default); not "
            "confirmed on S98xx",
            confirmed=False,
        ),
        # The times have a unit that no public source gives: CMW003 says that none is rendered. The
        # ranges are those of the inventory.
        watchdog_ms={"detection": (1, 60_000), "restoration": (1, 60_000)},
        watchdog_unit_known=False,
        sku_tables=("headroom_table",),
        source="grayfalcon666/netmiko-h3c-skill @ 4f5e9dfd references/CMD-help (Comware V7)",
        grade="experimental",
        rule_prefix="CMW",
        management_vrf="Mgnt",
        reads_pfc=True,
    )
)

#: Least that a frame has around its packet: Ethernet header and FCS (IEEE 802.3).
FRAME_EXTRA_BYTES = 18

#: First line of all that is rendered or planned: nothing of it was ever run on a switch.
EXPERIMENTAL = (
    "EXPERIMENTAL: made from documents, never run on a switch; read each line before it is used"
)

#: Tables that turn a DSCP into a class, and a class into a queue; no other is rendered.
MAP_TABLES = ("dot1p-lp", "dscp-dot1p", "dscp-lp")

#: Ports of the hardware: they cannot be made or removed.
PORT = r"interface (?:[A-Z][A-Za-z]*-?)?(?:GigE|GigabitEthernet)[\d/:]+"

#: Lines that hold when nothing is printed.
DEFAULTS = (
    r"arp timer aging 20",  # [CMD]
    r"ipv6 neighbor stale-aging 240",  # [CMD]
    r"mac-address timer aging 300",  # [HPE] 12500
    r"mtu 1500",  # [CMD]
    r"bfd detect-multiplier 5",  # [CMD]
    r"peer \S+ timer keepalive 60 hold 180",  # [CMD]
)

#: A server is told where it is; through which VPN instance and how stays as it is found.
SERVER = r"(ntp-service unicast-server|info-center loghost)(?: vpn-instance \S+)? (\d\S*)(?: .*)?"
