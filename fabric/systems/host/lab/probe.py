"""ping, rping and ib_write_bw of a GPU host.

Known: iputils ping (summary line; code 1 without an answer); linux-rdma/rdma-core,
librdmacm/examples/rping.c (``ping data:`` lines with -v, ``-I`` source); linux-rdma/perftest,
src/perftest_parameters.c (options, header and columns of the report; the client ends with 1 when it
cannot connect; ``--help`` ends with 1). Debian 12 has 4.5+0.17, without ``--bind_source_ip`` and
``--ipv6-addr``: the option ``perftest`` of a stand-in is then ``4.5``.
Assumed: a server runs as a transient unit of systemd and answers one client; options are written
as here; ``-D`` takes no time.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.lab.pages import pages
from fabric.lab.shell.state import Result
from fabric.systems.host.lab.paths import End, LabPaths, local_end
from fabric.systems.host.lab.rdma import gids

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.lab.shell.state import Context, Tool
    from fabric.systems.host.lab import HostStandIn

page = pages(__file__)
_BW_VALUED = ("-d", "-i", "-x", "-m", "--tclass", "-s", "-D", "-p", "--bind_source_ip")
_BW_FLAGS = ("-F", "--report_gbits", "--ipv6-addr")
_NEW = ("--bind_source_ip", "--ipv6-addr")
_RPING_VALUED = ("-a", "-p", "-C", "-I", "-S")
_RPING_FLAGS = ("-s", "-c", "-v")
_PING_VALUED = ("-c", "-i", "-W", "-I", "-s", "-M", "-Q")
_PING_FLAGS = ("-n", "-q")
_HEADERS_BYTES = 96
_LOST = 100


@dataclass(frozen=True, slots=True)
class Server:
    """A server that waits for its client.

    ``crowd`` holds the ports of all that waited at its address together, itself among them.
    """

    tool: str
    address: str
    options: dict[str, str]
    crowd: list[str]


class ProbeTools:
    """The commands, and the servers that wait."""

    def __init__(self, host: HostStandIn) -> None:
        self._host = host
        self.servers: dict[str, Server] = {}
        self.paths: LabPaths | None = None

    def commands(self) -> dict[str, Tool]:
        """Return the commands by name."""
        return {
            "ping": self._ping,
            "rping": self._rping,
            "ib_write_bw": self._bandwidth,
            "timeout": self._timeout,
        }

    def serve(self, words: list[str]) -> Callable[[], None] | None:
        """Start a server as a service; return what stops it, or None when it is none."""
        try:
            if words[0] == "rping":
                options, rest = _options(words[1:], _RPING_VALUED, _RPING_FLAGS)
                server = Server("rping", options.get("-a", ""), options, [])
                good = "-s" in options and not rest
            else:
                names = self._known(_BW_VALUED), self._known(_BW_FLAGS)
                options, rest = _options(words[1:], *names)
                gid, _ = self._ends(options, "")
                address = options.get("--bind_source_ip") or gid
                server = Server("ib_write_bw", address, options, self._crowd(address))
                good = words[0] == "ib_write_bw" and not rest and bool(gid)
        except ValueError:
            return None
        port = options.get("-p", "")
        if not good or port in self.servers or local_end(self._host, server.address) is None:
            return None
        self.servers[port] = server
        server.crowd.append(port)
        return lambda: self._stop(port)

    def _crowd(self, address: str) -> list[str]:
        waiting = (item.crowd for item in self.servers.values() if item.address == address)
        return next(waiting, [])

    def _stop(self, port: str) -> None:
        self.servers.pop(port, None)

    async def _timeout(self, context: Context, argv: list[str], _stdin: str) -> Result:
        if len(argv) < 3 or not argv[1].isdigit():  # noqa: PLR2004  (seconds and a command)
            return Result("", "timeout: only SECONDS COMMAND is supported\n", 125)
        return Result(rc=await context.shell.call(argv[2:], context.streams))

    def _reached(self, address: str, target: str) -> tuple[End, End] | None:
        source = local_end(self._host, address)
        if source is None or self.paths is None:
            return None
        target_end = self.paths.reach(source, address, target)
        return (source, target_end) if target_end else None

    def _gateway_answers(self, address: str, target: str) -> bool:
        source = local_end(self._host, address)
        if source is None or self.paths is None:
            return False
        return self.paths.reaches_gateway(source, address, target)

    def _ping(self, _context: Context, argv: list[str], _stdin: str) -> Result:
        try:
            options, rest = _options(argv[1:], _PING_VALUED, _PING_FLAGS)
        except ValueError as error:
            return Result("", f"ping: {error}\n", 2)
        source = options.get("-I", "")
        if len(rest) != 1 or local_end(self._host, source) is None:
            return Result("", f"ping: bind: Cannot assign requested address: {source}\n", 2)
        count = int(options.get("-c", "1"))
        reached = self._reached(source, rest[0])
        if reached and options.get("-M") == "do":
            size = int(options.get("-s", "56")) + _ping_headers_bytes(source)
            mtus = [end.host.network.state.links[end.nic.interface].mtu for end in reached]
            reached = reached if size <= min(mtus) else None
        answered = count if reached or self._gateway_answers(source, rest[0]) else 0
        values = {"source": source, "target": rest[0], "count": count, "answered": answered}
        return Result(page("ping", **values), "", int(not answered))

    def _rping(self, _context: Context, argv: list[str], _stdin: str) -> Result:
        try:
            options, rest = _options(argv[1:], _RPING_VALUED, _RPING_FLAGS)
        except ValueError as error:
            return Result("", f"rping: {error}\n", 255)
        if rest or "-c" not in options:
            return Result("", "rping: a server runs as a service here\n", 255)
        reached = self._reached(options.get("-I", ""), options.get("-a", ""))
        server = self._waiting(reached, "rping", options)
        if server is None:
            return Result("", "cma event RDMA_CM_EVENT_UNREACHABLE, error -110\n", 255)
        rows = range(int(options.get("-C", "1")))
        return Result("".join(f"ping data: rdma-ping-{row}: ABCDEFGHIJ\n" for row in rows))

    def _waiting(
        self, reached: tuple[End, End] | None, tool: str, options: dict[str, str]
    ) -> Server | None:
        """Take the server that waits at the other end for a client with these options."""
        if reached is None:
            return None
        servers = reached[1].host.probing.servers
        server = servers.get(options.get("-p", ""))
        if server is None or server.tool != tool:
            return None
        return servers.pop(options["-p"])

    def _addresses(self, options: dict[str, str]) -> list[str]:
        """Return the addresses of the GIDs of the device that the options name."""
        nic = next((n for n in self._host.rdma_nics if n.rdma_device == options.get("-d")), None)
        table = gids(self._host, nic) if nic else []
        return [ipv4 or str(ipaddress.IPv6Address(gid)) for gid, ipv4 in table]

    def _ends(self, options: dict[str, str], target: str) -> tuple[str, str]:
        """Return the address of the RoCEv2 GID that the options choose, and that it connects by."""
        own, index = self._addresses(options), options.get("-x", "")
        if not index.isdigit() or options.get("-i") != "1":
            return "", ""
        place, version = divmod(int(index), 2)
        gid = own[place] if version == 1 and place < len(own) else ""
        alike = [address for address in own if (":" in address) == (":" in target)]
        meets = options.get("--bind_source_ip") or (gid if gid in alike else "".join(alike[:1]))
        return gid, meets if meets in ([gid] if gid in alike else alike) else ""

    def _known(self, options: tuple[str, ...]) -> tuple[str, ...]:
        old = self._host.spec.options.get("perftest") == "4.5"
        return tuple(name for name in options if not old or name not in _NEW)

    def _bandwidth(self, _context: Context, argv: list[str], _stdin: str) -> Result:
        if argv[1:] == ["--help"]:
            names = self._known((*_BW_VALUED, *_BW_FLAGS))
            return Result("".join(f"  {name}\n" for name in names), "", 1)
        try:
            options, rest = _options(argv[1:], self._known(_BW_VALUED), self._known(_BW_FLAGS))
        except ValueError as error:
            return Result("", f"ib_write_bw: {error}\n", 1)
        if len(rest) != 1:
            return Result("", "ib_write_bw: a server runs as a service here\n", 1)
        gid, source = self._ends(options, rest[0])
        if ("--ipv6-addr" in options) != (":" in rest[0]):
            return Result("", f"Problem in resolving basic address and port: {rest[0]}\n", 1)
        reached = self._reached(source, rest[0])
        if not gid or not source:
            return Result("", "Failed to modify QP to RTR\n Unable to Connect the HCA's\n", 1)
        server = self._waiting(reached, "ib_write_bw", options)
        if server is None or reached is None:
            return Result("", f"Couldn't connect to {rest[0]}:{options.get('-p')}\n", 1)
        mtu = int(options.get("-m", "1024"))
        room = min(
            end.host.network.state.links[end.nic.interface].mtu - _HEADERS_BYTES for end in reached
        )
        if server.options.get("-m") != options.get("-m") or mtu > room:
            return Result("", " Completion with error at client\n", 1)
        marks = mtu, len(server.crowd), ":" in gid
        return Result(self._report(options, reached, *marks))

    def _report(
        self,
        options: dict[str, str],
        ends: tuple[End, End],
        mtu: int,
        flows: int,
        is_ipv6: bool,  # noqa: FBT001
    ) -> str:
        assert self.paths is not None
        source, target = ends
        lossless = all(_paused(end, int(options.get("--tclass", "0")) >> 2) for end in ends)
        if not lossless:
            target.host.counters.rdma[target.nic.interface]["out_of_sequence"] += _LOST
            source.host.counters.rdma[source.nic.interface]["packet_seq_err"] += _LOST
        rate = self.paths.gbps(source, target, mtu, lossless=lossless, flows=flows, is_ipv6=is_ipv6)
        size = int(options.get("-s", "65536"))
        count = round(rate * 1e9 / 8 / size)
        values = {"size": size, "count": count, "gbps": rate, "mpps": count / 1e6}
        return page("ib_write_bw", mtu=mtu, index=options["-x"], **values)


def _ping_headers_bytes(address: str) -> int:
    """Return the bytes of the headers of IP and ICMP (RFC 791, RFC 8200, RFC 792, RFC 4443)."""
    return 48 if ":" in address else 28


def _paused(end: End, dscp: int) -> bool:
    qos = end.host.qos[end.nic.interface]
    return bool(qos.pfc[qos.dscp.get(dscp, 0)])


def _options(
    words: list[str], valued: tuple[str, ...], flags: tuple[str, ...]
) -> tuple[dict[str, str], list[str]]:
    """Return options with their values, and the other words."""
    options: dict[str, str] = {}
    rest, left = [], list(words)
    while left:
        word = left.pop(0)
        if word in valued and left:
            options[word] = left.pop(0)
        elif word in flags:
            options[word] = ""
        elif word.startswith("-"):
            raise ValueError(f"option {word} is not supported")
        else:
            rest.append(word)
    return options, rest
