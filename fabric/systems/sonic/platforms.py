"""SONiC, community edition.

Sources: sonic-net/sonic-buildimage 202405 (sonic-port.yang, sonic-pfcwd.yang, sysctl-net.conf,
switch.json.j2), sonic-net/sonic-swss 202405 (pfcwdorch.cpp).
"""

from fabric.platforms.model import platforms
from fabric.platforms.refresh import NeighbourRefresh
from fabric.platforms.system import EcmpHash, Platform

#: What SWITCH_HASH asks for (templates/sonic/hash.j2).
HASH_FIELDS = frozenset((
    "IN_PORT",
    "DST_IP",
    "SRC_IP",
    "IP_PROTOCOL",
    "L4_DST_PORT",
    "L4_SRC_PORT",
))

SONIC = platforms.add("sonic")(
    Platform(
        name="sonic",
        title="SONiC",
        artefact="config_db.json",
        port_mtu_bytes=(68, 9216),
        fixed_mac_ageing_s=600,  # switch.json.j2 fdb_aging_time; no CONFIG_DB field
        default_mac_ageing_s=600,
        # STALE entries stay in the ASIC (sonic-net/sonic-swss neighsyncd/neighsync.cpp, onMsg), and
        # below gc_thresh1 the kernel removes none: the timeout of the kernel decides nothing.
        neighbour_refresh=NeighbourRefresh(
            "arp_update in the container swss",
            "sonic-net/sonic-buildimage 202405 files/scripts/arp_update (sleep 300)",
            period_s=300,
            keeps_stale=True,
            daemon="arp_update",
        ),
        watchdog_ms={"detection": (100, 5000), "restoration": (100, 60000), "poll": (100, 1000)},
        source="sonic-net/sonic-buildimage 202405, sonic-net/sonic-swss 202405",
        rule_prefix="SON",
        announces_alias=True,
        explicit_rs_fec_from_gbps=100,  # IEEE 802.3 clauses 91 and 119
        reads_pfc=True,
        # DEVICE_METADATA type LeafRouter and SpineRouter: dockers/docker-orchagent/switch.json.j2
        ecmp_hash={
            "leaf": EcmpHash("CRC", HASH_FIELDS, seed=10, offset=10),
            "spine": EcmpHash("CRC", HASH_FIELDS, seed=25),
            "super-spine": EcmpHash("CRC", HASH_FIELDS, seed=25),  # a SpineRouter too
        },
        sku_tables=("headroom_table", "buffers"),
        releases=("202405", "202411", "202505", "202511", "202605", "master"),
        # sonic-pfcwd.yang of the branches: 1000 from 202511 on
        release_watchdog_ms={
            release: {"poll": (100, 3000)} for release in ("202405", "202411", "202505")
        },
    )
)

#: File of the kernel's neighbour settings. At boot systemd-sysctl takes the files of all folders in
#: the order of their names and the last one wins (sysctl.d(5)). SONiC's own values are in
#: ``99-sysctl.conf`` up to 202505 (build_debian.sh, augtool) and in ``90-sonic.conf`` from 202511
#: on (files/image_config/sysctl): ours sorts behind both, and behind ``vmcore-sysctl.conf``.
SYSCTL_FILE = "zz-rocefab-neighbours.conf"
SYSCTL_PATH = f"/etc/sysctl.d/{SYSCTL_FILE}"
#: The name that it had before: there SONiC's own values won.
EARLIER_SYSCTL_PATH = "/etc/sysctl.d/90-rocefab-neighbours.conf"
#: What the file sets, as a pattern of sysctl(8); interfaces of VLANs take ``default`` when they are
#: made.
KERNEL_PATTERN = (
    r"^net\.ipv[46]\.neigh\.(default|Vlan[0-9]+)\.(base_reachable_time_ms|gc_thresh[123])$"
)

#: Field of DEVICE_METADATA that hands BGP to the FRR management framework; absent means no.
FRAMEWORK = "frr_mgmt_framework_config"

#: Profile of a lossless group for which the switch computes the buffer
#: (sonic-net/sonic-buildimage 202405 files/build_templates/buffers_config.j2).
COMPUTED_PROFILE = "NULL"
#: ``asic_type`` of makers by a part of their platform names. Community SONiC can do that for these:
#: the buffer manager finds ``buffer_headroom_<asic_type>.lua`` (sonic-net/sonic-swss cfgmgr).
COMPUTING_PLATFORMS = {"mlnx": "mellanox", "nvidia": "mellanox", "barefoot": "barefoot"}


def asic_type_of(platform: str) -> str:
    """Return the ``asic_type`` of a platform name; ``broadcom`` where no other maker is in it."""
    makers = (made for part, made in COMPUTING_PLATFORMS.items() if part in platform)
    return next(makers, "broadcom")
