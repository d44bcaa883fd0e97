"""The real lab of one fabric: brought up, looked into, damaged and taken down."""

from __future__ import annotations

import json
import os
import secrets
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Self

from fabric.core.errors import InputError, LabError
from fabric.lab.real import neighbours
from fabric.lab.real.booted import BootedHost, Management
from fabric.lab.real.host import Host
from fabric.lab.real.keeper import Keeper, batch
from fabric.lab.real.names import kernel_names
from fabric.lab.real.needs import missing_parts
from fabric.lab.real.state import Process, Record, clean, leftovers
from fabric.lab.real.switch import Switch
from fabric.observe.hostfacts.lldp import parse_lldp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from fabric.design.host_model import NicDesign
    from fabric.lab.real.blueprint import Blueprint, End
    from fabric.lab.real.keeper import Answer
    from fabric.observe.state import LldpNeighbour

    Progress = Callable[[str, str], None]

#: IPv4 header without options (RFC 791) and ICMP header (RFC 792).
_HEADERS_BYTES = {4: 20 + 8, 6: 40 + 8}
_WORKERS = 4
#: Pings wait more than they work.
_PING_WORKERS = 16
_PING_TIMEOUT_MS = 300


class RealLab:
    """A fabric of network namespaces with the daemons of Linux.

    It has to be made by a thread that lasts as long as the lab.

    Parameters
    ----------
    blueprint : Blueprint
        What is built.
    progress : callable
        Told what is going on.
    """

    def __init__(
        self,
        blueprint: Blueprint,
        inventory: str = "",
        progress: Progress = lambda _, __: None,
    ) -> None:
        self.blueprint = blueprint
        self.inventory = inventory
        self._progress = progress
        self._keeper: Keeper | None = None
        self._record: Record | None = None
        self._interfaces = self._names()
        self._switches: dict[str, Switch] = {}
        self._hosts: dict[str, Host] = {}
        self._booted: dict[str, BootedHost] = {}
        self._management: Management | None = None

    def __enter__(self) -> Self:
        self.up()
        return self

    def __exit__(self, *_: object) -> None:
        self.down()

    def _names(self) -> dict[str, dict[str, str]]:
        ports: dict[str, list[str]] = {name: [] for name in self.blueprint.names}
        for cable in self.blueprint.cables:
            for device, port in cable:
                ports[device].append(port)
        return {name: kernel_names(own) for name, own in ports.items()}

    @property
    def keeper(self) -> Keeper:
        """The process that holds the lab."""
        if self._keeper is None:
            raise LabError("lab", "it is not up")
        return self._keeper

    @property
    def record(self) -> Record:
        """Where its files are, and what its namespaces are called."""
        if self._record is None:
            raise LabError("lab", "it is not up")
        return self._record

    @property
    def management(self) -> Management:
        """How the hosts that are booted are reached."""
        if self._management is None:
            raise LabError("lab", "it is not up")
        return self._management

    def booted(self, host: str) -> BootedHost:
        """Return a host that is booted."""
        return self._booted[host]

    def namespace(self, device: str) -> str:
        """Return the name of the namespace of a device."""
        return self.record.prefix + device

    def folder(self, device: str) -> Path:
        """Return where sockets, configuration and logs of a device are."""
        return self.record.folder / device

    def interface(self, device: str, port: str) -> str:
        """Return the name in the kernel of a port with a cable, or of a gateway."""
        own = self._switches[device].kernel_name if device in self._switches else {}
        return (own or self._interfaces[device])[port]

    def ports(self, device: str) -> set[str]:
        """Return the ports of a device that have a cable."""
        return set(self._interfaces[device])

    def up(self) -> None:
        """Build the lab; what an earlier one left behind is removed first.

        Raises
        ------
        InputError
            When the machine lacks something; it is named.
        LabError
            When the kernel or a daemon does not take its part. Nothing is left behind.
        """
        reason = missing_parts(booted=bool(self.blueprint.booted))
        if reason:
            raise InputError(f"the real lab cannot run here: {reason}")
        for record in leftovers():
            clean(record)
        self._keeper = Keeper()
        owner = Process.of(os.getpid())
        self._record = Record(secrets.token_hex(2), self.inventory, owner, self._keeper.first)
        try:
            self._record.write()
            self._build()
        except BaseException:
            self.down()
            raise

    def down(self) -> None:
        """End every process and remove every namespace and file; does nothing when it is down."""
        keeper, self._keeper = self._keeper, None
        if keeper:
            keeper.end()
        record, self._record = self._record, None
        if record:
            clean(record)

    def _build(self) -> None:
        plan = self.blueprint
        self._progress("lab", "namespaces and cables")
        batch([f"netns add {self.namespace(name)}" for name in plan.names])
        for name in plan.names:
            self.folder(name).mkdir()
            self.folder(name).chmod(0o777)  # FRR and lldpd are users of their own
        batch(self._cable_lines())
        cabled = {name: tuple(names) for name, names in self._interfaces.items()}
        self._switches = {
            name: Switch(
                design, plan.files[name], cabled[name], self.namespace(name), self.folder(name)
            )
            for name, design in plan.devices.items()
        }
        self._hosts = {
            name: Host(
                design,
                plan.networks[name],
                plan.sysctls.get(name, ""),
                self.namespace(name),
                self.folder(name),
            )
            for name, design in plan.hosts.items()
            if name not in plan.booted
        }
        self._management = Management(
            self.record.name, self.record.folder / "management", plan.booted
        )
        if plan.booted:
            self._management.write()
        self._booted = {
            name: BootedHost(
                plan.hosts[name], self._management, self.namespace(name), self.folder(name)
            )
            for name in plan.booted
        }
        self._progress("lab", "FRR, networkd, hosts that boot")
        devices = self._switches | self._hosts | self._booted
        self._each(lambda name: devices[name].up(self.keeper), plan.names)
        self._each(lambda name: (self._hosts | self._booted)[name].settle(self.keeper), plan.hosts)
        self._progress("lab", "sysctls and LLDP")
        self._each(self._finish, plan.names)

    @staticmethod
    def _each(work: Callable[[str], object], names: Iterable[str]) -> None:
        pool = ThreadPoolExecutor(_WORKERS)
        try:
            list(pool.map(work, names))
        finally:
            pool.shutdown(cancel_futures=True)

    def _cable_lines(self) -> list[str]:
        macs = {
            (name, nic.interface): nic.mac
            for name, host in self.blueprint.hosts.items()
            for nic in host.nics
            if nic.mac
        }
        return [
            f"link add {self._end(near, macs)} type veth peer {self._end(far, macs)}"
            for near, far in self.blueprint.cables
        ]

    def _end(self, end: End, macs: Mapping[End, str]) -> str:
        mac = f" address {macs[end]}" if end in macs else ""
        mtu_bytes = self.blueprint.mtu_bytes[end]
        return f"name {self.interface(*end)}{mac} mtu {mtu_bytes} netns {self.namespace(end[0])}"

    def _finish(self, name: str) -> None:
        """Put the rendered sysctls of a device into force, and start its lldpd."""
        if name in self._booted:
            return
        text = self.blueprint.sysctls.get(name, "")
        if text:
            file = self.folder(name) / "sysctl.conf"
            file.write_text(text, encoding="utf-8")
            self.run(name, ["sysctl", "-e", "-p", str(file)])
        device = self.blueprint.devices.get(name)
        by_alias = name in self.blueprint.sends_alias
        ids = {
            port.name: ((by_alias and port.alias) or port.name, port.description)
            for port in (device.ports if device else ())
            if port.name in self._interfaces[name]
        }
        words = neighbours.configuration(name, self._interfaces[name], ids)
        neighbours.start(self.keeper, name, self.namespace(name), self.folder(name), words)

    def run(self, device: str, argv: Sequence[str], timeout_s: float = 60.0) -> Answer:
        """Run a command on a device: exit code, output and errors."""
        return self.keeper.run(self.namespace(device), argv, timeout_s)

    @cached_property
    def _families(self) -> dict[str, str]:
        """Families of NICs as bgpd calls them, and the option of ``ip`` for each."""
        both = {"ipv4Unicast": "-4", "ipv6Unicast": "-6"}
        used = {"-6" if own.is_ipv6 else "-4" for _, nic in self.nics() for own in nic.addresses}
        return {name: option for name, option in both.items() if option in used}

    def nics(self) -> list[tuple[str, NicDesign]]:
        """Return the NICs that are enabled, each with its host."""
        return [
            (name, nic)
            for name, host in self.blueprint.hosts.items()
            for nic in host.nics
            if nic.enabled
        ]

    def ping(self, source: str, target: str, size_bytes: int = 9000, *, df: bool = True) -> bool:
        """Return whether the NIC with one address gets an answer from that with another.

        Parameters
        ----------
        size_bytes : int
            Size of the IP packet.
        df : bool
            Whether it may not be fragmented.
        """
        return target in self.pings({source: [target]}, size_bytes, df=df).get(source, set())

    def pings(
        self, wanted: Mapping[str, Sequence[str]], size_bytes: int = 9000, *, df: bool = True
    ) -> dict[str, set[str]]:
        """Return the addresses that answered to each address that asked."""
        home = {own.address: name for name, nic in self.nics() for own in nic.addresses}
        words = ["fping", "-a", "-q", "-r", "1", "-t", str(_PING_TIMEOUT_MS), "-i", "1"]
        words += ["-M"] if df else []
        with ThreadPoolExecutor(_PING_WORKERS) as pool:
            done = pool.map(
                lambda source: self.run(
                    home[source],
                    [*words, "-b", _payload(size_bytes, source), "-S", source, *wanted[source]],
                    timeout_s=300,
                ),
                wanted,
            )
            return {
                source: set(answer.out.split()) for source, answer in zip(wanted, done, strict=True)
            }

    def cut(self, device: str, port: str) -> None:
        """Take the link from a cable: the port of the switch goes down, the far end loses carrier.

        Parameters
        ----------
        device, port : str
            The end that is shut down; for a cable to a NIC that of the switch.
        """
        batch([f"link set dev {self.interface(device, port)} down"], self.namespace(device))

    def mend(self, device: str, port: str) -> None:
        """Give a cable its link back."""
        batch([f"link set dev {self.interface(device, port)} up"], self.namespace(device))

    def vtysh(self, device: str, *lines: str) -> Answer:
        """Run commands in the shell of FRR of a switch."""
        words = [word for line in lines for word in ("-c", line)]
        return self.run(device, self._switches[device].vtysh(*words))

    def sessions(self, device: str) -> dict[tuple[str, str], str]:
        """Return the state of each BGP session of a switch, by family of NICs, as bgpd says it."""
        answer = self.vtysh(device, "show bgp summary json")
        try:
            families = json.loads(answer.out)
        except ValueError as error:
            raise LabError(device, f"vtysh: {answer.out}{answer.err}") from error
        return {
            (family, name): str(peer["state"])
            for family, shown in families.items()
            if family in self._families
            for name, peer in shown["peers"].items()
        }

    def wait_for_sessions(self, count: int, timeout_s: float = 60.0) -> int:
        """Wait until so many ends of BGP sessions are up; return how many are."""
        until_s = time.monotonic() + timeout_s
        while (ends := self.established()) != count and time.monotonic() < until_s:
            time.sleep(0.5)
        return ends

    def established(self) -> int:
        """Return how many ends of BGP sessions are up."""
        with ThreadPoolExecutor(_WORKERS) as pool:
            states = Counter(
                state
                for states in pool.map(self.sessions, self.blueprint.devices)
                for state in states.values()
            )
        return states["Established"]

    def next_hops(self, device: str, prefix: str) -> tuple[str, ...]:
        """Return the next hops that the kernel of a switch has for a prefix: their ports."""
        family = "-6" if ":" in prefix else "-4"
        answer = self.run(device, ["ip", "-j", family, "route", "show", prefix])
        return self._ports(device, *json.loads(answer.out or "[]"))

    def learnt(self, device: str) -> dict[str, tuple[str, ...]]:
        """Return the routes of BGP in the kernel of a switch: their ports, none where it drops."""
        routes = [
            route
            for family in self._families.values()
            for route in json.loads(
                self.run(device, ["ip", "-j", family, "route", "show", "proto", "bgp"]).out or "[]"
            )
        ]
        return {route["dst"]: self._ports(device, route) for route in routes}

    def _ports(self, device: str, *routes: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the ports of routes as ``ip -j`` prints them."""
        ports = {kernel: port for port, kernel in self._interfaces[device].items()}
        ways = [route for route in routes if route.get("type", "unicast") == "unicast"]
        hops = [hop for route in ways for hop in route.get("nexthops", [route])]
        return tuple(sorted(ports.get(hop["dev"], hop["dev"]) for hop in hops if "dev" in hop))

    def learnt_next_hops(self) -> int:
        """Return how many next hops the kernels of all switches have for routes of BGP."""
        with ThreadPoolExecutor(_WORKERS) as pool:
            tables = pool.map(self.learnt, self.blueprint.devices)
            return sum(len(ports) for table in tables for ports in table.values())

    def wait_for_next_hops(self, count: int, timeout_s: float = 60.0) -> int:
        """Wait until the kernels have so many next hops for routes of BGP; return how many."""
        until_s = time.monotonic() + timeout_s
        while (hops := self.learnt_next_hops()) != count and time.monotonic() < until_s:
            time.sleep(0.5)
        return hops

    def lldp(self, device: str) -> dict[str, tuple[LldpNeighbour, ...]]:
        """Return the neighbours that lldpd of a device hears, by port."""
        if device in self._booted:
            said = self._booted[device].run(["lldpcli", "show", "neighbors", "-f", "json"]).out
            return dict(parse_lldp(said))
        return neighbours.heard(
            self.keeper,
            device,
            self.namespace(device),
            self.folder(device),
            self._interfaces[device],
        )


def _payload(size_bytes: int, source: str) -> str:
    """Return how many bytes of a packet are beside the headers of IP and ICMP."""
    return str(size_bytes - _HEADERS_BYTES[ip_address(source).version])
