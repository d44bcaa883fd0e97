"""Rules about addresses, roles and the schema of a CONFIG_DB."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.systems.sonic.config_db import Subnet
from fabric.systems.sonic.rule import SonicRule
from fabric.systems.sonic.yang_judge import Yang
from fabric.validate.rule import rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.core.findings import Finding
    from fabric.systems.sonic.config_db import SonicConfig
    from fabric.systems.sonic.yang_judge import Answer
    from fabric.validate.world import Configuration, SchemaJudge, World


@rules.add("SON012")
class NeighbourSubnet(SonicRule):
    """BGP neighbours are in a subnet of the switch."""

    why = (
        "A neighbour that is not directly connected is not reachable; bgpcfgd also waits for "
        "local_addr."
    )
    source = (
        "sonic-net/sonic-buildimage src/sonic-bgpcfgd/bgpcfgd/managers_bgp.py; RFC 4271 section"
        " 5.1.3"
    )
    guards = ("addressing.uplinks",)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Compare every neighbour and its local address with the addresses of the switch."""
        local = {subnet[:2]: subnet for subnet in config.subnets}
        networks = {subnet.network for subnet in config.subnets}
        lengths = {(version, length) for version, _, length in networks}
        for key, row in config.rows("BGP_NEIGHBOR").items():
            text = key.rpartition("|")[2]
            address = Subnet.of(text)
            if address is None:  # an interface name: unnumbered
                continue
            own = Subnet.of(str(row.get("local_addr") or text))
            home = local.get(own[:2]) if own else None
            connected = (home is not None and address.is_in(home)) or any(
                address._replace(prefix_length=length).network in networks
                for version, length in lengths
                if version == address.version
            )
            if not connected:
                yield self.at(
                    config,
                    ("BGP_NEIGHBOR", key),
                    f"BGP neighbour {text} is not in a subnet of this switch",
                    "correct the address of the neighbour or of the interface",
                )
            elif row.get("local_addr") and home is None:
                yield self.at(
                    config,
                    ("BGP_NEIGHBOR", key),
                    f"local_addr {row['local_addr']} of BGP neighbour {text} is not an address "
                    "of this switch",
                    "use the address of the interface towards the neighbour",
                )


_IPV4 = 4
#: Lengths of IPv4 subnets from which FRR computes the address of a peer.
_PAIRS = (30, 31)


@rules.add("SON048")
class NoAddressBesideSession(SonicRule):
    """A port with an unnumbered session has no IPv4 /30 or /31."""

    why = (
        "FRR makes the session of such a port between the two IPv4 addresses; the other end waits "
        "at its link-local address, and the session stays down. CONFIG_DB has no field against it."
    )
    source = "sonic-net/sonic-buildimage #14955 (v6only, not merged); batfish/batfish #5372 (FRR)"
    judges_rendered = False
    guards = ("bgp.peering", "devices.peering", "devices.ports.peering")

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Compare the sessions over ports with the addresses of these."""
        sessions = {key.rpartition("|")[2] for key in config.rows("BGP_NEIGHBOR")}
        for table in ("INTERFACE", "PORTCHANNEL_INTERFACE"):
            for key in config.rows(table):
                port, _, text = key.partition("|")
                subnet = Subnet.of(text) if port in sessions else None
                if subnet and subnet.version == _IPV4 and subnet.prefix_length in _PAIRS:
                    yield self.at(
                        config,
                        (table, key),
                        f"{text} is on a port whose session is unnumbered",
                        "remove the address, or make the session one between addresses",
                        port=port,
                    )


@rules.add("SON037")
class OneRole(SonicRule):
    """A port is routed, a member of VLANs, or a member of one PortChannel."""

    why = "The daemon rejects the second role; which one runs depends on the order of the rows."
    source = (
        "sonic-net/sonic-buildimage src/sonic-yang-models (sonic-vlan.yang, sonic-portchannel.yang"
        "); sonic-net/sonic-utilities config/main.py (is already a router interface)"
    )
    judges_rendered = False
    guards = ("devices.ports",)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Collect the roles of every port."""
        roles: dict[str, dict[str, str]] = {}
        for table, role, part in (
            ("INTERFACE", "routed", 0),
            ("VLAN_MEMBER", "a member of a VLAN", 1),
            ("PORTCHANNEL_MEMBER", "a member of a PortChannel", 1),
        ):
            for key in config.rows(table):
                port = key.split("|")[part] if key.count("|") >= part else ""
                roles.setdefault(port, {}).setdefault(role, table)
        for port, tables in roles.items():
            if len(tables) > 1:
                yield self.at(
                    config,
                    (list(tables.values())[-1],),
                    f"is {' and '.join(tables)}",
                    "keep one of these roles",
                    port=port,
                )


@rules.add("SON038")
class OwnSubnets(SonicRule):
    """Interfaces have separate subnets."""

    why = "If two connected routes overlap, one hides some neighbours of the other."
    source = "RFC 1812 section 5.2.4.3; sonic-net/sonic-utilities config/main.py (overlaps)"
    judges_rendered = False
    guards = ("addressing.hosts", "addressing.uplinks")

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Compare each subnet with the next one in order."""
        networks = []
        for table in ("INTERFACE", "VLAN_INTERFACE", "PORTCHANNEL_INTERFACE"):
            for key in config.rows(table):
                name, _, text = key.partition("|")
                try:
                    network = ipaddress.ip_interface(text).network
                except ValueError:
                    continue
                first, last = (int(network[end]) for end in (0, -1))
                networks.append((network.version, first, -last, name, str(network), table))
        outer = None
        for item in sorted(networks):
            version, _, end, name, network_text, table = item
            if outer and outer[0] == version and end >= outer[2] and name != outer[3]:
                yield self.at(
                    config,
                    (table,),
                    f"subnet {network_text} of {name} overlaps {outer[4]} of {outer[3]}",
                    "use a separate subnet for each interface",
                    port=name,
                )
            else:
                outer = item


_MOST_TABLES = 5


@rules.add("SON040")
class ValidYang(SonicRule):
    """The configuration is valid against the YANG models of the release."""

    why = (
        "config apply-patch rejects what its YANG models reject; from 202505 on config reload "
        "does too."
    )
    source = (
        "sonic-net/sonic-utilities generic_config_updater/gu_common.py, config/main.py (reload); "
        "sonic-net/sonic-buildimage src/sonic-yang-mgmt"
    )
    judges_rendered = False
    guards = ("platforms.leaf.release",)
    yang: SchemaJudge = Yang(None)

    def subjects(self, world: World) -> Sequence[tuple[Configuration]] | None:
        """Return each configuration, where there is something to judge by."""
        if world.yang is None:
            return None
        self.yang = world.yang
        return super().subjects(world)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Ask libyang, and say so where it could not be asked."""
        answer: Answer = self.yang.answer(config.tables)
        for item in answer.complaints:
            named = config.place(*item.path) is not None or not item.path
            yield self.at(
                config,
                item.path,
                item.message if named else f"{'|'.join(item.path)}: {item.message}",
                "correct the value; libyang reports only the first error",
            )
        if answer.why_not:
            message = f"YANG: not validated: {answer.why_not}"
            yield self.finding(message, "", device=config.device, severity=Severity.INFO)
        if answer.unjudged:
            names = ", ".join(answer.unjudged[:_MOST_TABLES])
            rest = len(answer.unjudged) - _MOST_TABLES
            more = f" and {rest} more" if rest > 0 else ""
            message = f"YANG: not validated: the models of the release do not define {names}{more}"
            yield self.finding(message, "", device=config.device, severity=Severity.INFO)
