"""Enterprise SONiC by Dell and Broadcom, configured by ``sonic-cli`` of the management framework.

Sources: ansible-collections/dellemc.enterprise_sonic @ 9851e680 (options and examples of its
modules: ranges, defaults and the lines that the switch shows), sonic-net/sonic-mgmt @ b4ba9de3
spytest/apis (the lines that Broadcom's tests send), Broadcom's design documents (RDMA over
Converged Ethernet support, rev. 0.3; SONiC Industry Standard CLI Reference Guide). Below it is
SONiC: its database, its shell and its readings.
"""

from fabric.platforms.model import platforms
from fabric.platforms.refresh import NeighbourRefresh
from fabric.platforms.system import EcmpHash, Platform

#: What templates/esonic/hash.j2 asks for, by the names of SAI.
HASH_FIELDS = frozenset(("DST_IP", "SRC_IP", "IP_PROTOCOL", "L4_DST_PORT", "L4_SRC_PORT"))

ESONIC = platforms.add("esonic")(
    Platform(
        name="esonic",
        title="Enterprise SONiC",
        artefact="running-configuration.esonic",
        port_mtu_bytes=(68, 9216),  # sonic-port.yang; the module names no range of its own
        fixed_mac_ageing_s=None,
        default_mac_ageing_s=600,  # sonic_mac: aging_time
        neighbour_refresh=NeighbourRefresh(
            "ip arp timeout",
            "sonic_ip_neighbor; no source names what asks again",
            confirmed=False,
        ),
        # sonic_qos_interfaces, sonic_qos_pfc
        watchdog_ms={"detection": (100, 5000), "restoration": (100, 60000), "poll": (100, 3000)},
        source="ansible-collections/dellemc.enterprise_sonic @ 9851e680",
        grade="beta",
        rule_prefix="ESO",
        evpn_sessions="underlay",
        vni_vlan=True,
        announces_alias=True,  # lldpmgrd below, as in SONiC
        reads_pfc=True,
        cable_lengths_m=(5, 40, 300),  # sonic_qos_interfaces: cable_length
        # Seeds as SONiC gives them to its tiers: dockers/docker-orchagent/switch.json.j2
        ecmp_hash={
            "leaf": EcmpHash("CRC", HASH_FIELDS, seed=10),
            "spine": EcmpHash("CRC", HASH_FIELDS, seed=25),
            "super-spine": EcmpHash("CRC", HASH_FIELDS, seed=0),  # unlike those below it
        },
    )
)

#: Fills the lossless buffers of the model; the switch restarts when it is given (sonic_qos_buffer;
#: sonic-net/sonic-mgmt @ b4ba9de3 spytest/apis/qos/qos.py: expect_reboot).
BUFFER_LINE = "buffer init lossless"

#: Lines that a switch may show in sections of ours although nobody wrote them; where we do not say
#: otherwise they stay as they are (examples of sonic_interfaces, sonic_bgp, sonic_bgp_af).
SELF_MADE = (
    r"mtu \d+",
    r"speed .*",
    r"fec .*",
    r"unreliable-los auto",
    r"log-neighbor-changes",
    r"network import-check",
    r"timers (?:60 180|connect \d+)",
    r"advertisement-interval \d+",
    r"maximum-paths ibgp 1",
)

#: Lines that hold when nothing is shown: by the section, as a regular expression, and the line
#: (defaults of sonic_ip_neighbor, sonic_mac, sonic_qos_interfaces; init_cfg of SONiC for the MTU).
DEFAULTS = (
    (r"", "ip arp timeout 180"),
    (r"", "ipv6 nd cache expire 180"),
    (r"", "mac address-table aging-time 600"),
    (r"interface Ethernet\d+", "mtu 9100"),
    (r"interface Ethernet\d+", "cable-length 40m"),
    (r"interface Ethernet\d+", "priority-flow-control watchdog action drop"),
    (r"interface Vlan\d+", "mtu 9100"),
    (r"address-family ipv[46] unicast", "maximum-paths 1"),
)
