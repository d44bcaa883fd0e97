"""Addresses, routes, rules and neighbours of a GPU host: iproute2 and netplan.

Known: iproute2 (ip -j: names of the JSON keys; "RTNETLINK answers: ..." with code 2), netplan
(canonical/netplan, doc/netplan-yaml.md). Assumed: netplan owns every interface that it names and
leaves the others; routes of a table are a list without metrics; VLANs are not supported. Where a
link hears routers, its leaf announces the /64 that the files route.
"""

from __future__ import annotations

import ipaddress
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import yaml

from fabric.lab.pages import pages
from fabric.lab.shell.state import Result

if TYPE_CHECKING:
    from fabric.lab.shell.state import Context
    from fabric.systems.host.lab import HostStandIn

page = pages(__file__)
_EXISTS = Result("", "RTNETLINK answers: File exists\n", 2)
_MISSING = Result("", "RTNETLINK answers: No such process\n", 2)
_NETPLAN = "/etc/netplan"
#: What ``ip`` shows of IPv4 alone unless it is asked for IPv6; metric of an IPv6 route without one.
_OF_IPV4, _METRIC6 = ("route", "rule"), 1024
_FAMILIES = ("inet", "inet6")
_EVERYTHING = ("0.0.0.0/0", "::/0")
_INTERFACE_KEYS = frozenset(
    "match set-name mtu addresses link-local routes routing-policy dhcp4 dhcp6 optional "
    "accept-ra nameservers gateway4 critical macaddress wakeonlan".split()
)


@dataclass(slots=True)
class Link:
    """One interface."""

    name: str
    mac: str
    mtu: int = 1500
    up: bool = True
    addresses: list[str] = field(default_factory=list)  # in order of arrival, "10.0.0.1/24"
    link_local: bool = True
    made: list[str] = field(default_factory=list)  # of these addresses, what routers announced


@dataclass(slots=True)
class Network:
    """What the kernel knows."""

    links: dict[str, Link] = field(default_factory=dict)
    routes: list[dict[str, str]] = field(default_factory=list)
    rules: list[dict[str, str]] = field(default_factory=list)
    neighbours: list[dict[str, str]] = field(default_factory=list)


class HostNetwork:
    """The commands ip and netplan.

    Parameters
    ----------
    host : HostStandIn
        Whose network it is.
    """

    def __init__(self, host: HostStandIn) -> None:
        self._host = host
        self.state = Network()

    # -- ip --------------------------------------------------------------------------------------

    def ip(self, context: Context, argv: list[str], _stdin: str) -> Result:
        """Answer ip."""
        flags = [word for word in argv[1:] if word.startswith("-")]
        words = [word for word in argv[1:] if not word.startswith("-")]
        if set(flags) - {"-j", "-json", "-4", "-6", "-br", "-d", "-details"} or not words:
            return Result("", "ip: only -j, -4, -6 and -d are supported\n", 255)
        names = {"a": "addr", "address": "addr", "r": "route", "l": "link", "n": "neigh"}
        what = names.get(words[0], words[0])
        verb = words[1] if len(words) > 1 else "show"
        if what not in ("addr", "link", "route", "rule", "neigh"):
            return Result("", f'Object "{words[0]}" is unknown, try "ip help".\n', 1)
        family = "6" if "-6" in flags else "4" if "-4" in flags or what in _OF_IPV4 else ""
        if verb in ("show", "list", "ls", "get"):
            rows = getattr(self, f"_{what}_rows")({**_pairs(words[2:], what), "family": family})
            if {"-j", "-json"} & set(flags):
                return Result(json.dumps(rows, separators=(",", ":")) + "\n")
            return Result(page(f"ip-{'link' if what == 'addr' else what}", rows=rows))
        if not context.root:
            return Result("", "RTNETLINK answers: Operation not permitted\n", 2)
        if verb in ("add", "replace", "del", "delete", "set", "change"):
            verb = {"delete": "del", "change": "replace"}.get(verb, verb)
            change: Result = getattr(self, f"_{what}_change")(verb, words[2:], family)
            return change
        return Result("", f'Command "{verb}" is unknown, try "ip {what} help".\n', 255)

    def _link_rows(self, wanted: dict[str, str]) -> list[dict[str, Any]]:
        rows = []
        for number, link in enumerate(self.state.links.values(), start=1):
            if wanted.get("dev", link.name) != link.name:
                continue
            up = self._host.link_up(link.name)
            flags = ["NO-CARRIER"] * (link.up and not up) + ["BROADCAST", "MULTICAST"]
            flags += ["UP"] * link.up + ["LOWER_UP"] * up
            row = {"ifindex": number, "ifname": link.name, "flags": flags, "mtu": link.mtu}
            state = "UP" if up else "DOWN"
            rows.append(row | {"operstate": state, "link_type": "ether", "address": link.mac})
        return rows

    def _addr_rows(self, wanted: dict[str, str]) -> list[dict[str, Any]]:
        rows = self._link_rows(wanted)
        for row in rows:
            link = self.state.links[row["ifname"]]
            infos = []
            for text in link.addresses:
                address = ipaddress.ip_interface(text)
                family = "inet" if address.version == 4 else "inet6"  # noqa: PLR2004
                info = {"family": family, "local": str(address.ip), "scope": "global"}
                more: dict[str, Any] = {"prefixlen": address.network.prefixlen}
                infos.append(info | more | ({"dynamic": True} if text in link.made else {}))
            if link.link_local:
                infos.append(
                    {"family": "inet6", "local": link_local(link.mac), "scope": "link"}
                    | {"prefixlen": 64}
                )
            asked = {"4": ("inet",), "6": ("inet6",)}.get(wanted.get("family", ""), _FAMILIES)
            row["addr_info"] = [info for info in infos if info["family"] in asked]
        return rows

    def _route_rows(self, wanted: dict[str, str]) -> list[dict[str, Any]]:
        table, family = wanted.get("table", "main"), wanted.get("family", "4")
        rows: list[dict[str, Any]] = []
        for link in self.state.links.values():
            for text in link.addresses if table in ("main", "all") else ():
                address = ipaddress.ip_interface(text)
                row: dict[str, Any] = {"dst": str(address.network), "dev": link.name}
                row |= {"protocol": "kernel"}
                own = {"scope": "link", "prefsrc": str(address.ip)}
                row |= {"metric": 256} if family == "6" else own
                rows += [row | {"flags": []}] if str(address.version) == family else []
        for route in self.state.routes:
            if table not in ("all", route.get("table", "main")) or route["family"] != family:
                continue
            shown: dict[str, Any] = {key: route[key] for key in route if key != "family"}
            if "metric" in route or family == "6":
                shown["metric"] = int(route.get("metric", _METRIC6))
            if family == "6":
                shown.pop("scope", None)  # an IPv6 route has none
            if "type" in route and family == "6":
                shown["dev"] = "lo"
            if table != "all":
                shown.pop("table", None)
            rows.append(shown | {"flags": []})
        device = wanted.get("dev")
        return [row for row in rows if device is None or row.get("dev") == device]

    def _rule_rows(self, wanted: dict[str, str]) -> list[dict[str, Any]]:
        family = wanted.get("family", "4")
        fixed = [(0, "local"), (32766, "main"), *([(32767, "default")] if family == "4" else [])]
        rows: list[dict[str, Any]] = [
            {"priority": number, "src": "all", "table": table} for number, table in fixed
        ]
        for rule in self.state.rules:
            shown: dict[str, Any] = {key: rule[key] for key in rule if key != "family"}
            shown |= {key: int(rule[key]) for key in ("priority", "srclen") if key in rule}
            rows += [shown] if rule["family"] == family else []
        return sorted(rows, key=lambda row: int(row["priority"]))

    def _neigh_rows(self, wanted: dict[str, str]) -> list[dict[str, Any]]:
        return [
            {"dst": row["dst"], "dev": row["dev"], "lladdr": row["lladdr"], "state": [row["state"]]}
            for row in self.state.neighbours
            if wanted.get("dev", row["dev"]) == row["dev"]
        ]

    def _link_change(self, verb: str, words: list[str], _family: str) -> Result:
        if verb != "set":
            return Result("", "RTNETLINK answers: Operation not supported\n", 2)
        words = words[1:] if words[:1] == ["dev"] else words
        link = self.state.links.get(words[0]) if words else None
        if link is None:
            return Result("", f'Cannot find device "{"".join(words[:1])}"\n', 1)
        rest = words[1:]
        while rest:
            word = rest.pop(0)
            if word in ("up", "down"):
                self._set_up(link, up=word == "up")
            elif word == "mtu" and rest and rest[0].isdigit():
                link.mtu = int(rest.pop(0))
            else:
                return Result(
                    "", f'Error: either "dev" is duplicate, or "{word}" is garbage.\n', 255
                )
        self._host.after_network_change()
        return Result()

    def _set_up(self, link: Link, *, up: bool) -> None:
        """Take a link up or down: its routes go with it, addresses stay."""
        came, link.up = up and not link.up, up
        if not up:
            self.state.routes = [row for row in self.state.routes if row.get("dev") != link.name]
        elif came:
            self._host.stacks.link_up(link.name)

    def _addr_change(self, verb: str, words: list[str], _family: str) -> Result:
        pairs = _pairs(words[1:], "addr")
        link = self.state.links.get(pairs.get("dev", ""))
        if link is None:
            return Result("", f'Cannot find device "{pairs.get("dev", "")}"\n', 1)
        try:
            address = str(ipaddress.ip_interface(words[0]))
        except ValueError:
            return Result("", f'Error: any valid prefix is expected rather than "{words[0]}".\n', 1)
        present = address in link.addresses
        if verb == "del":
            if not present:
                return Result("", "RTNETLINK answers: Cannot assign requested address\n", 2)
            link.addresses.remove(address)
        elif present and verb == "add":
            return _EXISTS
        elif not present:
            link.addresses.append(address)
        self._host.after_network_change()
        return Result()

    def _route_change(self, verb: str, words: list[str], family: str) -> Result:
        kind = {"type": words[0]} if words[:1] == ["unreachable"] else {}
        words = words[len(kind) :]
        route = {"dst": words[0], **_pairs(words[1:], "route")} if words else {}
        route |= kind
        if "dev" in route and route["dev"] not in self.state.links:
            return Result("", f'Cannot find device "{route["dev"]}"\n', 1)
        if "via" in route:
            route["gateway"] = route.pop("via")
        if "src" in route:
            route["prefsrc"] = route.pop("src")
        route["family"] = _family_of(route, family)
        return _change_row(self.state.routes, verb, route, ("dst", "table", "type", "family"))

    def _rule_change(self, verb: str, words: list[str], family: str) -> Result:
        pairs = _pairs(words, "rule")
        source = pairs.get("from", "all")
        address = ipaddress.ip_interface(source) if source != "all" else None
        if address and str(address.version) != family:
            return Result("", f'Error: inet prefix is expected rather than "{source}".\n', 1)
        rule = {"family": family}
        rule |= {"priority": pairs.get("priority", "32765"), "table": pairs.get("table", "main")}
        rule["src"] = str(address.ip) if address else "all"
        if address and address.network.prefixlen != address.max_prefixlen:
            rule["src"] = str(address.network.network_address)
            rule["srclen"] = str(address.network.prefixlen)
        if "to" in pairs:
            rule["dst"] = pairs["to"]
        key = ("src", "priority", "table") if "priority" in pairs else ("src",)
        return _change_row(self.state.rules, verb, rule, (*key, "family"))

    def _neigh_change(self, verb: str, words: list[str], _family: str) -> Result:
        pairs = _pairs(words[1:], "neigh")
        row = {"dst": words[0], "dev": pairs.get("dev", ""), "lladdr": pairs.get("lladdr", "")}
        row["state"] = pairs.get("nud", "permanent").upper()
        return _change_row(self.state.neighbours, verb, row, ("dst", "dev"))

    # -- netplan ---------------------------------------------------------------------------------

    def netplan(self, context: Context, argv: list[str], _stdin: str) -> Result:
        """Answer netplan."""
        if argv[1:] not in (["apply"], ["generate"]):
            return Result("", "netplan: only apply and generate are supported\n", 1)
        if not context.root:
            return Result("", "Permission denied\n", 1)
        fs, merged, warnings = self._host.fs, dict[str, dict[str, Any]](), ""
        names = fs.listing(_NETPLAN) if fs.is_dir(_NETPLAN) else []
        for name in (name for name in names if name.endswith(".yaml")):
            path = f"{_NETPLAN}/{name}"
            try:
                data = yaml.safe_load(fs.read(path)) or {}
                merged |= _ethernets(data)
            except (yaml.YAMLError, ValueError) as error:
                return Result("", f"{path}: Error: {error}\n", 78)
            if fs.local(path).stat().st_mode & 0o077:
                warnings += f"** (generate): WARNING **: Permissions for {path} are too open.\n"
        if argv[1] == "apply":
            fault = self._host.faults.strike(context.line, "accept_part")
            chosen = list(merged.items())[: fault.count if fault else None]
            self._host.stacks.generate(merged)
            for name, settings in chosen:
                self.configure(name, settings)
            self._host.after_network_change()
        return Result("", warnings)

    def forget_routers(self, *names: str) -> None:
        """Take from links what they made of routers' prefixes: nothing configures them any more."""
        for link in (self.state.links[name] for name in names if name in self.state.links):
            link.addresses = [text for text in link.addresses if text not in link.made]
            link.made = []

    def configure(self, name: str, settings: dict[str, Any]) -> None:
        """Give an interface MTU, addresses, routes and rules, in the words of netplan.

        A MAC to match is ``PermanentMACAddress=`` of networkd (netplan 0.106): a NIC with another
        one gets nothing.
        """
        mac = str(settings.get("match", {}).get("macaddress", "")).lower()
        links = self.state.links
        named = links.get(settings.get("set-name", name))
        link = (
            next((one for one in links.values() if one.mac.lower() == mac), None) if mac else named
        )
        if link is None:
            return
        link.mtu = int(settings.get("mtu", 1500))
        addresses = [str(item) for item in settings.get("addresses", [])]
        link.made = [text for text in _own_addresses(link, settings) if text not in addresses]
        addresses += link.made
        kept = [address for address in link.addresses if address in addresses]
        link.addresses = kept + [address for address in addresses if address not in kept]
        link.link_local = settings.get("link-local", ["ipv6"]) != []
        state = self.state
        mine = {str(ipaddress.ip_interface(address).ip) for address in addresses}
        mine |= {str(item["from"]).partition("/")[0] for item in settings.get("routing-policy", [])}
        tables = {str(item.get("table")) for item in settings.get("routes", []) if "table" in item}
        state.routes = [
            route
            for route in state.routes
            if route.get("dev") != link.name and not ("type" in route and route["table"] in tables)
        ]
        state.rules = [rule for rule in state.rules if rule["src"] not in mine]
        for item in settings.get("routes", []):
            to = str(item["to"])
            route = {"dst": "default" if to in _EVERYTHING else to, "protocol": "static"}
            route["family"] = "6" if ":" in to else "4"
            route |= {} if "type" in item else {"dev": link.name}
            for key, shown in (
                *(("via", "gateway"), ("from", "prefsrc"), ("scope", "scope")),
                *(("type", "type"), ("metric", "metric")),
            ):
                route |= {shown: str(item[key])} if key in item else {}
            state.routes.append(route | ({"table": str(item["table"])} if "table" in item else {}))
        for item in settings.get("routing-policy", []):
            words = [
                f"{key} {item[key]}" for key in ("from", "to", "table", "priority") if key in item
            ]
            family = "6" if ":" in str(item.get("from", "")) else "4"
            self._rule_change("replace", " ".join(words).split(), family)


def _own_addresses(link: Link, settings: dict[str, Any]) -> list[str]:
    """Return the addresses that a link makes of the /64 that its leaf announces."""
    if not settings.get("accept-ra"):
        return []
    targets = [str(item["to"]) for item in settings.get("routes", []) if "via" not in item]
    identifier = int(ipaddress.IPv6Address(link_local(link.mac))) & (2**64 - 1)
    return [
        f"{ipaddress.IPv6Network(text)[identifier]}/64" for text in targets if text.endswith("/64")
    ]


def _family_of(route: dict[str, str], family: str) -> str:
    return "6" if ":" in f"{route.get('dst')}{route.get('gateway', '')}" else family or "4"


def _ethernets(data: Any) -> dict[str, dict[str, Any]]:
    network = data.get("network", {}) if isinstance(data, dict) else None
    if not isinstance(network, dict) or network.get("version") != 2:  # noqa: PLR2004  (netplan)
        raise ValueError("Expected a mapping `network` with `version: 2`")
    extra = set(network) - {"version", "renderer", "ethernets"}
    if extra:
        raise ValueError(f"unknown key '{min(extra)}'")
    for name, settings in network.get("ethernets", {}).items():
        unknown = set(settings) - _INTERFACE_KEYS
        if unknown:
            raise ValueError(f"Error in network definition: {name}: unknown key '{min(unknown)}'")
        for address in settings.get("addresses", []):
            if "/" not in str(address):
                raise ValueError(f"{name}: address '{address}' is missing /prefixlength")
            ipaddress.ip_interface(str(address))
    ethernets: dict[str, dict[str, Any]] = network.get("ethernets", {})
    return ethernets


def _pairs(words: list[str], what: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name = {
            "lookup": "table",
            "pref": "priority",
            "preference": "priority",
            "proto": "protocol",
        }
        key = name.get(word, word)
        if key == "onlink":
            pairs[key] = ""
        elif not rest:
            pairs["dev" if what in ("addr", "link") else "dst"] = word
        else:
            pairs[key] = rest.pop(0)
    return pairs


def _change_row(
    rows: list[dict[str, str]], verb: str, row: dict[str, str], key: tuple[str, ...]
) -> Result:
    same = [other for other in rows if all(other.get(name) == row.get(name) for name in key)]
    if verb == "del":
        if not same:
            return _MISSING
        rows.remove(same[0])
        return Result()
    if same and verb == "add":
        return _EXISTS
    for other in same:
        rows.remove(other)
    rows.append(row)
    return Result()


def link_local(mac: str) -> str:
    """Return the IPv6 link-local address of a MAC address (RFC 4291, appendix A)."""
    octets = [int(part, 16) for part in mac.split(":")]
    octets[0] ^= 2
    packed = bytes([0xFE, 0x80, *[0] * 6, *octets[:3], 0xFF, 0xFE, *octets[3:]])
    return str(ipaddress.IPv6Address(packed))
