"""Arista EOS in Batfish: the text as it is, below a line that names its grammar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.prove.batfish.forms import Form, snapshot_writers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.observe.configuration import Configured

#: Without it the text is read as Cisco IOS (Batfish, ``VendorConfigurationFormatDetector``).
CONTENT_TYPE = "!RANCID-CONTENT-TYPE: arista\n"


def _write(name: str, texts: Mapping[str, str], _: Configured) -> dict[str, bytes]:
    return {f"configs/{name}.cfg": (CONTENT_TYPE + texts["startup-config"]).encode()}


snapshot_writers.add("eos")(
    Form(
        kind="startup-config",
        formats=("ARISTA",),
        write=_write,
        added_lines=1,
        harmless=(
            # QoS, PFC and its watchdog
            r"qos (profile|map|trust)",
            r"service-profile ",
            r"(uc-)?tx-queue ",
            r"(no )?priority( strict)?$",
            r"bandwidth percent ",
            r"random-detect ecn ",
            r"priority-flow-control ",
            r"platform trident ",
            r"ingress priority-group ",
            # hashing
            r"(port-channel )?load-balance ",
            r"fields udp ",
            r"payload bytes ",
            # balancing by load: its lines, and the lists of ports in its groups
            r"forwarding type routed ipv4$",
            r"aging timeout \d+ seconds$",
            r"port group host ",
            r"interface Ethernet[\d/]+,[\d/,]+$",
            # BFD
            r"router bfd$",
            r"interval \d+ min-rx \d+ multiplier \d+",
            # speeds with their lanes
            r"speed \d+g-\d+$",
            # what sessions by interface need on a switch, and have in Batfish without it
            r"ip routing ipv6 interfaces$",
            r"neighbor \S+ next-hop address-family ipv6 originate$",
            # ageing
            r"mac address-table aging-time ",
            r"arp aging timeout default ",
        ),
    )
)
