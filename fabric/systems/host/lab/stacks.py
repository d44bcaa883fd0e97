"""networkctl and nmcli of a GPU host: addresses from files of networkd and of NetworkManager.

Known: systemd.network(5), networkctl(1): ``reload`` configures again what a new or changed file
matches, the first file that matches counts, one below /run as well as one below /etc; a link that
comes up gets its settings again; a restart reads everything anew; nm-settings-keyfile(5), nmcli(1):
a file that others can read is ignored. Assumed: only the keys that are named here; another one is
refused, where networkd would ignore it with a warning. networkd waits for no carrier. A link that
nothing configures any more loses what it made of a router's prefix.
"""

from __future__ import annotations

import posixpath
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from fabric.lab.shell.state import Result

if TYPE_CHECKING:
    from fabric.lab.shell.state import Context
    from fabric.systems.host.lab import HostStandIn

_NETWORKD = ("/etc/systemd/network", "/run/systemd/network")
_PROFILES = "/etc/NetworkManager/system-connections"
_KEYS = {
    "Match": {"Name", "PermanentMACAddress"},
    "Link": {"MTUBytes", "RequiredForOnline"},
    "Network": {"LinkLocalAddressing", "IPv6AcceptRA", "Address"},
    "Route": {"Destination", "Gateway", "PreferredSource", "Scope", "Table", "Type", "Metric"},
    "RoutingPolicyRule": {"From", "Table", "Priority"},
}
_ROUTE = {
    "Destination": "to",
    "Gateway": "via",
    "PreferredSource": "from",
    "Scope": "scope",
    "Table": "table",
    "Type": "type",
    "Metric": "metric",
}
_RULE = {"From": "from", "Table": "table", "Priority": "priority"}
_OF_FAMILY = {
    *("address1", "method", "never-default", "routing-rule1"),
    *(f"route{number}{kind}" for number in range(1, 5) for kind in ("", "_options")),
}
_PROFILE_KEYS = {
    "connection": {"id", "uuid", "type", "autoconnect-priority", "interface-name"},
    "ethernet": {"mac-address", "mtu"},
    "ipv4": _OF_FAMILY,
    "ipv6": {*_OF_FAMILY, "ignore-auto-routes", "ip6-privacy", "addr-gen-mode"},
}
_SCOPES = {"253": "link"}

Sections = list[tuple[str, dict[str, str]]]


class HostStacks:
    """The commands networkctl and nmcli.

    Parameters
    ----------
    host : HostStandIn
        Whose interfaces they configure.
    """

    def __init__(self, host: HostStandIn) -> None:
        self._host = host
        self._seen: dict[str, str] = {}
        self.active: dict[str, str] = {}
        self._profiles: dict[str, dict[str, Any]] = {}

    def boot(self) -> None:
        """Forget what was active, then bring every file into force whose device is there."""
        self._seen.clear()
        self.active.clear()
        self._reload_networkd()
        self._load_profiles()
        for name in list(self._profiles):
            with suppress(ValueError):  # it waits for its device
                self._activate(name)

    def networkctl(self, context: Context, argv: list[str], _stdin: str) -> Result:
        """Answer networkctl."""
        if argv[1:] != ["reload"]:
            return Result("", "networkctl: only reload is supported\n", 1)
        if not context.root:
            return Result("", "Failed to reload network settings: Access denied\n", 1)
        try:
            self._reload_networkd()
        except ValueError as error:
            return Result("", f"{error}\n", 1)
        return Result()

    def nmcli(self, context: Context, argv: list[str], _stdin: str) -> Result:
        """Answer nmcli."""
        words = argv[1:]
        if words[:2] == ["-g", "GENERAL.CONNECTION"] and words[2:4] == ["device", "show"]:
            return Result(self.active.get(words[4], "") + "\n")
        if not context.root:
            return Result("", "Error: not privileged\n", 1)
        try:
            return self._change(words)
        except ValueError as error:
            return Result("", f"Error: {error}\n", 1)

    def _change(self, words: list[str]) -> Result:
        match words:
            case ["connection", "reload"]:
                self._load_profiles()
                return Result()
            case ["connection", "up", "id", name]:
                if name not in self._profiles:
                    return Result("", f"Error: unknown connection '{name}'.\n", 10)
                self._activate(name)
                return Result("Connection successfully activated\n")
            case ["device", "reapply", interface]:
                if interface not in self.active:
                    return Result("", f"Error: device '{interface}' is not active.\n", 6)
                self._activate(self.active[interface])
                return Result(f"Connection successfully reapplied to device '{interface}'.\n")
        return Result("", "nmcli: not supported\n", 2)

    # -- networkd --------------------------------------------------------------------------------

    def restart(self) -> None:
        """Read every file anew, as a restart of networkd does."""
        self._seen.clear()
        self._reload_networkd()

    def link_up(self, interface: str) -> None:
        """Give a link that comes up what networkd or NetworkManager has for it."""
        self._seen.pop(interface, None)
        self._reload_networkd()
        if self.active.get(interface) in self._profiles:
            self._activate(self.active[interface])

    def generate(self, ethernets: dict[str, dict[str, Any]]) -> None:
        """Write the files that netplan makes of its own, in place of those from before."""
        fs, folder = self._host.fs, _NETWORKD[1]
        fs.mkdir(folder)
        for name in fs.listing(folder):
            if name.startswith("10-netplan-"):
                fs.local(f"{folder}/{name}").unlink()
                interface = name.removeprefix("10-netplan-").removesuffix(".network")
                self._host.network.forget_routers(interface)
        for name, settings in ethernets.items():
            fs.put(f"{folder}/10-netplan-{name}.network", _networkd_text(name, settings))

    def _reload_networkd(self) -> None:
        taken = set[str]()
        for path in self._network_files():
            text = self._host.fs.read(path)
            sections = _sections(path, text, _KEYS)
            interface = self._matched(dict(sections)["Match"])
            if interface is None or interface in taken:
                continue
            taken.add(interface)
            if self._seen.get(interface) != text:
                self._host.network.configure(interface, _networkd_settings(sections))
            self._seen[interface] = text
        self._host.network.forget_routers(*(self._seen.keys() - taken))
        self._seen = {name: text for name, text in self._seen.items() if name in taken}
        self._host.after_network_change()

    def _network_files(self) -> list[str]:
        fs = self._host.fs
        folders = [folder for folder in _NETWORKD if fs.is_dir(folder)]
        paths = [f"{folder}/{name}" for folder in folders for name in fs.listing(folder)]
        return sorted((path for path in paths if path.endswith(".network")), key=posixpath.basename)

    def _matched(self, match: dict[str, str]) -> str | None:
        for link in self._host.network.state.links.values():
            mac = match.get("PermanentMACAddress", link.mac)
            if mac.lower() == link.mac.lower() and match.get("Name", link.name) == link.name:
                return link.name
        return None

    # -- NetworkManager --------------------------------------------------------------------------

    def _load_profiles(self) -> None:
        fs = self._host.fs
        self._profiles = {}
        names = fs.listing(_PROFILES) if fs.is_dir(_PROFILES) else []
        for name in (name for name in names if name.endswith(".nmconnection")):
            path = posixpath.join(_PROFILES, name)
            if fs.local(path).stat().st_mode & 0o077:
                continue  # NetworkManager ignores it
            profile = dict(_sections(path, fs.read(path), _PROFILE_KEYS))
            self._profiles[profile["connection"]["id"]] = profile
        gone = [name for name, active in self.active.items() if active not in self._profiles]
        self._host.network.forget_routers(*gone)

    def _activate(self, name: str) -> None:
        profile = self._profiles[name]
        interface = profile["connection"]["interface-name"]
        link = self._host.network.state.links.get(interface)
        mac = profile["ethernet"].get("mac-address", link.mac if link else "")
        if link is None or mac.lower() != link.mac.lower():
            raise ValueError(f"No suitable device found for connection '{name}'")
        self._host.network.configure(interface, _profile_settings(profile))
        self.active[interface] = name
        self._host.after_network_change()


def _sections(path: str, text: str, keys: dict[str, set[str]]) -> Sections:
    """Read a file of sections; a section may stand in it more than once.

    Raises
    ------
    ValueError
        When a section or key is not known.
    """
    sections: Sections = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.strip()
        if not words or words[0] in "#;":
            continue
        if words.startswith("[") and words[1:-1] in keys:
            sections.append((words[1:-1], {}))
            continue
        key, sign, value = words.partition("=")
        if not sign or not sections or key not in keys[sections[-1][0]]:
            raise ValueError(f"{path}:{number}: unknown section or key {words!r}")
        before = sections[-1][1].get(key) if key == "Address" else None  # may stand there again
        sections[-1][1][key] = f"{before} {value}" if before else value
    return sections


def _networkd_text(name: str, settings: dict[str, Any]) -> str:
    """Return the file of networkd that netplan makes of an interface."""
    mac = settings.get("match", {}).get("macaddress")
    lines = ["[Match]", f"PermanentMACAddress={mac}" if mac else f"Name={name}", "[Link]"]
    lines += [f"MTUBytes={settings.get('mtu', 1500)}", "[Network]"]
    lines += ["LinkLocalAddressing=no"] if settings.get("link-local") == [] else []
    lines += ["IPv6AcceptRA=yes"] if settings.get("accept-ra") else []
    lines += [f"Address={address}" for address in settings.get("addresses", [])]
    for section, keys, items in (
        ("Route", _ROUTE, settings.get("routes", [])),
        ("RoutingPolicyRule", _RULE, settings.get("routing-policy", [])),
    ):
        for item in items:
            known = [(key, item[name]) for key, name in keys.items() if name in item]
            lines += [f"[{section}]", *(f"{key}={value}" for key, value in known)]
    return "\n".join([*lines, ""])


def _networkd_settings(sections: Sections) -> dict[str, Any]:
    single = dict(sections)
    return {
        "mtu": single["Link"].get("MTUBytes", "1500"),
        "link-local": [] if single["Network"].get("LinkLocalAddressing") == "no" else ["ipv6"],
        "accept-ra": single["Network"].get("IPv6AcceptRA") == "yes",
        "addresses": single["Network"].get("Address", "").split(),
        "routes": [
            {_ROUTE[key]: value for key, value in keys.items()}
            for name, keys in sections
            if name == "Route"
        ],
        "routing-policy": [
            {_RULE[key]: value for key, value in keys.items()}
            for name, keys in sections
            if name == "RoutingPolicyRule"
        ],
    }


def _profile_settings(profile: dict[str, Any]) -> dict[str, Any]:
    families = [profile[name] for name in ("ipv4", "ipv6") if "route1" in profile.get(name, {})]
    if not families or not all(_is_complete(one) for one in families):
        raise ValueError("only method manual with an address, and auto of ipv6, are supported")
    routes = [
        _profile_route(one[name], one.get(f"{name}_options", ""))
        for one in families
        for name in ("route1", "route2", "route3", "route4")
        if name in one
    ]
    rules = [words for one in families if (words := one.get("routing-rule1", "").split())]
    return {
        "mtu": profile["ethernet"].get("mtu", "1500"),
        "link-local": [] if profile["ipv6"].get("method") == "disabled" else ["ipv6"],
        "accept-ra": profile["ipv6"].get("method") == "auto",
        "addresses": [one["address1"] for one in families if "address1" in one],
        "routes": routes,
        "routing-policy": [dict(zip(words[::2], words[1::2], strict=True)) for words in rules],
    }


def _is_complete(family: dict[str, str]) -> bool:
    return family.get("method") == ("manual" if "address1" in family else "auto")


def _profile_route(text: str, options: str) -> dict[str, str]:
    target, gateway, metric = (*text.split(","), "", "")[:3]
    keys = dict(item.partition("=")[::2] for item in options.split(",") if item)
    names = {"src": "from", "table": "table", "type": "type"}
    route = {"to": target, **{key: keys[name] for name, key in names.items() if name in keys}}
    if gateway and "type" not in route:
        route["via"] = gateway
    if "scope" in keys:
        route["scope"] = _SCOPES[keys["scope"]]
    return route | ({"metric": metric} if metric else {})
