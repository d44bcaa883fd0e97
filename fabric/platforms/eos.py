"""Arista EOS.

Sources: pyavd 6.4.0 (schema ranges), batfish test captures of ``show running-config all``
(defaults), arista-exp-eos-qos-config.yang 4.36.1F.
"""

from fabric.platforms.model import Platform, platforms

EOS = platforms.add("eos")(
    Platform(
        name="eos",
        title="Arista EOS",
        artefact="startup-config.eos",
        port_mtu_bytes=(68, 9214),
        fixed_mac_ageing_s=None,
        default_mac_ageing_s=300,
        default_arp_timeout_s=14400,
        watchdog_ms={"detection": (10, 60000), "restoration": (10, 60000), "poll": (5, 30000)},
        bfd_for_bgp=True,
        source="pyavd 6.4.0 schema; batfish/batfish arista_interface_show_run_all captures",
    )
)

#: Beginnings of the top-level lines that rocefab writes; every other stanza is kept as it is found.
OWNED_STANZAS = (
    "service routing protocols model",
    "hostname ",
    "qos profile ",
    "qos map ",
    "vlan ",
    "interface Ethernet",
    "interface Loopback0",
    "interface Vlan",
    "mac address-table aging-time",
    "arp aging timeout",
    "hardware counter feature ecn",
    "ip routing",
    "ip prefix-list PL-",
    "route-map RM-",
    "priority-flow-control ",
    "router bfd",
    "router bgp ",
    "ntp server ",
    "logging host ",
)

#: What a changed line does, by its first words; the first match counts, the default is brief loss.
LINE_RISK = (
    ("restart", ("service routing protocols model",)),
    ("port flap", ("speed ", "shutdown", "no shutdown", "error-correction")),
    (
        "harmless",
        (
            "random-detect",
            "priority-flow-control pause watchdog",
            "description",
            "ntp ",
            "logging ",
            "arp aging",
            "mac address-table",
            "name ",
        ),
    ),
)
