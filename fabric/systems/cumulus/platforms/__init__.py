"""NVIDIA Cumulus Linux 5.x, configured by NVUE.

Sources: CumulusNetworks/docs, content/cumulus-linux-514 and cumulus-linux-510 (user guide); its
list of NVUE commands (``pfc-watchdog polling-interval 100-5000``, ``robustness 1-1000``,
``link mtu 552-9216``).
"""

from fabric.platforms.model import platforms
from fabric.platforms.refresh import NeighbourRefresh
from fabric.platforms.system import Platform
from fabric.systems.cumulus.platforms.tree import of_one_release
from fabric.systems.cumulus.platforms.words import RELEASES

CUMULUS = platforms.add("cumulus")(
    Platform(
        name="cumulus",
        title="NVIDIA Cumulus Linux",
        artefact="config.nv",
        port_mtu_bytes=(552, 9216),
        fixed_mac_ageing_s=None,
        default_mac_ageing_s=1800,
        # arp.timeout_s is rendered as 1.5 times the base reachable time, the longest that it lasts.
        neighbour_refresh=NeighbourRefresh(
            "neighmgrd",
            "CumulusNetworks/docs content/cumulus-linux-510, Address Resolution Protocol",
        ),
        # detection is the poll times the robustness; what was stopped goes on after one poll
        watchdog_ms={
            "detection": (100, 5_000_000),
            "restoration": (1, 60_000),
            "poll": (100, 5000),
        },
        source="CumulusNetworks/docs, content/cumulus-linux-514 and content/cumulus-linux-510",
        grade="beta",
        rule_prefix="CUM",
        management_vrf="mgmt",
        fixed_vrf=True,
        servers_in_vrf=True,
        evpn_sessions="underlay",
        reads_pfc=True,
        # CumulusNetworks/docs content/cumulus-linux-514, Equal Cost Multipath Load Sharing
        own_seed=(
            "nothing to do: each switch draws its own seed at its start. If `nv set system "
            "forwarding hash-seed` has set one, remove it"
        ),
        verb="nv set ",
        beside=("clear.nv",),
        description_space="_",
        one_cable_length=True,  # the profile default-global (content/cumulus-linux-514, PFC)
        releases=RELEASES,
        of_one_release=of_one_release,
    )
)

#: VLANs that the switch uses by itself (510 VLAN-aware Bridge Mode): internal, and of layer 3 VNIs.
RESERVED_VLANS = range(3725, 4065)
#: What the recipe ``qos roce`` makes of RoCE and of CNPs; the shares and ECN may be changed, the
#: traffic classes belong to its pools (514 RDMA over Converged Ethernet).
ROCE_TRAFFIC_CLASS, CNP_TRAFFIC_CLASS = 3, 6
ROCE_PRIORITY, CNP_PRIORITY = 3, 6
ROCE_SHARE_PERCENT = 50

#: Leaves that the switch writes by itself beside ours (startup files of the guide).
SELF_MADE = (
    r"interface \S+ (type|base-interface|vlan) \S+",
    r"bridge domain br_default (type|untagged|encap|mac-address) \S+",
    r"vrf default router bgp neighbor \S+ type \S+",
)
