"""Tables of CONFIG_DB that a fabric does not write, and that refer to its ports.

Known: sonic-net/sonic-buildimage src/sonic-yang-models (sonic-acl, sonic-portchannel,
sonic-mirror-session, sonic-ntp, sonic-sflow), branch 202405, reduced to the usual fields; the form
is that of ``sonic_model``.
"""

from __future__ import annotations

from fabric.systems.sonic.lab.model import PORTS, UPDOWN, Row

FOREIGN: dict[str, tuple[Row, ...]] = {
    "ACL_TABLE": (
        Row(
            ("str",),
            {
                "policy_desc": "str",
                "type": "str",
                "stage": "enum:ingress|egress",
                "ports": "list:ref:PORT|PORTCHANNEL",
                "services": "list:str",
            },
        ),
    ),
    "PORTCHANNEL": (
        Row(
            ("re:PortChannel[0-9]{1,4}",),
            {
                "admin_status": UPDOWN,
                "mtu": "int:1..9216",
                "min_links": "int:1..1024",
                "lacp_key": "str",
                "fast_rate": "bool",
                "fallback": "bool",
            },
        ),
    ),
    "PORTCHANNEL_MEMBER": (Row(("ref:PORTCHANNEL", PORTS)),),
    "MIRROR_SESSION": (
        Row(
            ("str",),
            {
                "type": "enum:SPAN|ERSPAN",
                "src_ip": "ip",
                "dst_ip": "ip",
                "gre_type": "str",
                "dscp": "int:0..63",
                "ttl": "int:0..255",
                "queue": "int:0..7",
                "src_port": "refs:PORT|PORTCHANNEL",
                "dst_port": PORTS,
                "direction": "enum:RX|TX|BOTH",
            },
        ),
    ),
    "NTP": (
        Row(("re:global",), {"src_intf": "list:ref:PORT|PORTCHANNEL|LOOPBACK_INTERFACE|MGMT_PORT"}),
    ),
    "SFLOW": (Row(("re:global",), {"admin_state": UPDOWN, "polling_interval": "int:0..300"}),),
    "SFLOW_SESSION": (
        Row(
            ("ref:PORT|all",),
            {"admin_state": UPDOWN, "sample_rate": "int:256..8388608"},
        ),
    ),
}
