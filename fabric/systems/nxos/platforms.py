"""Cisco NX-OS on Nexus 9000.

Sources: paregupt/nx-os @ ad8128f3 nxos_config_roce.py (the lossless set), YangModels/yang
vendor/cisco/nx/9.3-2/Cisco-NX-OS-device.yang (ranges and defaults), CiscoDevNet/terraform-provider-
nxos @ 43d0c254 gen/definitions (object model), batfish/batfish @ cba18733 cisco_nxos grammar.
"""

from fabric.platforms.model import platforms
from fabric.platforms.refresh import NeighbourRefresh
from fabric.platforms.system import Platform

NXOS = platforms.add("nxos")(
    Platform(
        name="nxos",
        title="Cisco NX-OS",
        artefact="running-config.nxos",
        port_mtu_bytes=(576, 9216),  # class MTU, batfish CiscoNxos_policy_map.g4
        fixed_mac_ageing_s=None,
        default_mac_ageing_s=1800,
        neighbour_refresh=NeighbourRefresh(
            "unicast request before the entry expires",
            "YangModels/yang Cisco NX-OS 9.3(2), ip arp timeout; no source gives the time of the "
            "request",
            confirmed=False,
        ),
        # The system has no such settings that a public source spells out: its own times hold, and
        # NXO006 says so. The ranges are those of the inventory.
        watchdog_ms={"detection": (1, 60_000), "restoration": (1, 60_000)},
        source="YangModels/yang Cisco NX-OS 9.3(2); paregupt/nx-os @ ad8128f3",
        grade="beta",
        default_port=443,
        rule_prefix="NXO",
        management_vrf="management",
        fixed_vrf=True,
        servers_in_vrf=True,
        evpn_sessions="underlay",
        own_vtep=True,
        reads_pfc=True,
        # Cisco Nexus 9000 interfaces guide; default of universal-id in Cisco-NX-OS-device.yang
        own_seed=(
            "nothing to do: each switch draws its own seed. If `ip load-sharing address` has a "
            "`universal-id`, remove it"
        ),
    )
)

#: Size of a pause buffer (CiscoDevNet/terraform-provider-nxos @ 43d0c254, network-qos pause).
PAUSE_BUFFER_BYTES = (5000, 268_435_456)
#: Hash of equal paths, which the switch has unless told otherwise, and then does not print.
DEFAULT_HASH = "ip load-sharing address source-destination port source-destination"
