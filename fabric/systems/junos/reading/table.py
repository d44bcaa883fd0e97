"""Tables of the statements that are read, and patterns of those that are about something else."""

from __future__ import annotations

from fabric.observe.configuration.blocks import Context
from fabric.systems.junos.platforms.text import unquoted

__all__ = ["TABLE", "VLAN_IDS", "unquoted"]

#: Read before all others: they give the names of VLANs their numbers.
VLAN_IDS = Context()

TABLE = Context(
    r"version .*",
    r"system (?!host-name |processes routing disable$).*",
    r"chassis (?!maximum-ecmp |fpc \d+ power off$).*",
    r"(class-of-service|forwarding-options|snmp|security|event-options|services) .*",
    r"protocols (lldp|lldp-med|l2-learning|rstp|mstp|dcbx|sflow|igmp-snooping) .*",
    r"interfaces (em\d+|fxp\d+|me0|vme|re\d+:mgmt-\d+) .*",
    r"interfaces \S+ (speed|number-of-sub-ports|hold-time) .*",
    r"interfaces \S+ (gigether-options|ether-options) (?!802\.3ad ).*",
    r"interfaces \S+ unit \d+ description .*",
    r"interfaces irb unit \d+ mac .*",
    r"routing-instances mgmt_junos .*",
    r"vlans \S+ (description .*|vlan-id \d+)",
    r"routing-options (forwarding-table ecmp-fast-reroute|graceful-restart.*)",
    r"protocols bgp log-updown",
    r"interfaces \S+ unit 0 family ethernet-switching storm-control \S+",
)
