"""The lines that the stand-in of Enterprise SONiC accepts: those of the book, with their prompts.

Known: prompts of sonic-net/sonic-mgmt @ b4ba9de3 spytest/datastore/prompts/sonic_prompts.yaml.
"""

from __future__ import annotations

from fabric.book.book import books

MODES, HIDDEN = books()["esonic"].tables()

#: Prompts of the modes; ``{}`` stands for the last word of the line that opened it.
PROMPTS = {
    "": "",
    "config": "(config)",
    "wred": "(conf-wred-{})",
    "scheduler": "(conf-sched-policy-{})",
    "scheduler-queue": "(conf-scheduler-queue-{})",
    "dscp-tc": "(conf-dscp-tc-map-{})",
    "tc-queue": "(conf-tc-queue-map-{})",
    "tc-pg": "(conf-tc-pg-map-{})",
    "pfc-priority-queue": "(conf-pfc-priority-queue-map-{})",
    "route-map": "(config-route-map)",
    "if-vlan": "(conf-if-{})",
    "if-loopback": "(conf-if-lo)",
    "if-management": "(conf-if-{})",
    "if-ethernet": "(conf-if-{})",
    "bgp": "(config-router-bgp)",
    "bgp-af": "(config-router-bgp-af)",
    "bgp-neighbor": "(config-router-bgp-neighbor)",
    "neighbor-af": "(config-router-bgp-neighbor-af)",
    "neighbor-evpn": "(config-router-bgp-neighbor-af)",
    "bgp-evpn": "(config-router-bgp-af)",
    "bgp-vrf": "(config-router-bgp)",
    "bgp-vrf-af": "(config-router-bgp-af)",
    "bgp-vrf-evpn": "(config-router-bgp-af)",
    "if-vxlan": "(conf-if-vxlan-{})",
}

#: Lines that a port shows whatever was configured, by their keys; what ``no`` brings back.
PORT_DEFAULTS = {"mtu": "mtu 9100", "shutdown": "shutdown"}
