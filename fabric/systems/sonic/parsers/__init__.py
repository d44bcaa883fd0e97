"""SONiC: ``show`` outputs (layouts of sonic-net/sonic-utilities 202405) and CONFIG_DB."""

from __future__ import annotations

import ipaddress
import json
import re
from typing import TYPE_CHECKING, Any, ClassVar

from fabric.core.counts import counted
from fabric.core.json_text import indented, parse_json
from fabric.observe.parsers import UnreadableError, parsers, titles
from fabric.observe.parsers.durations import frr_seconds
from fabric.observe.parsers.linux import uptime
from fabric.observe.parsers.tables import parse_table, plain
from fabric.observe.snapshot import Running
from fabric.observe.state import BgpPeer, LldpNeighbour
from fabric.systems.sonic.gcu import known_release
from fabric.systems.sonic.parsers import state as sonic_state
from fabric.systems.sonic.parsers import telemetry as telemetry
from fabric.systems.sonic.parsers.state import PORT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.observe.parsers import Reading

_NO_PEERS = re.compile("No IPv[46] neighbor is configured")
_PEER_TOTAL = re.compile(r"^Total number of neighbors +(\d+) *$", re.MULTILINE)
_LLDP_TOTAL = re.compile(r"^Total entries displayed: +(\d+) *$", re.MULTILINE)
_PRIORITIES = re.compile(r"[0-7](,[0-7])*")
_PARAMETER = re.compile(r"[a-z0-9]+(\.[A-Za-z0-9_/-]+)+")
#: A line of ``supervisorctl status NAME`` (Supervisor 4.2, supervisorctl.py; states.py), whose
#: state UNKNOWN tells nothing.
_DAEMON = re.compile(
    r"([a-z_]+) +(STOPPED|STARTING|RUNNING|BACKOFF|STOPPING|EXITED|FATAL) +[^\n]*\n"
)
_NO_DAEMON = re.compile(r"([a-z_]+): ERROR \(no such process\)\n")
_FACT = re.compile(r"^(build_version|asic_type): '?([^'\n]+)", re.MULTILINE)
_STATE = re.compile(r"\d+|[A-Z][A-Za-z]+( \([A-Za-z]+\))?")


def bgp_summary(text: str) -> dict[str, BgpPeer]:
    """Parse ``show ip bgp summary``: a number in the last column means established.

    Raises
    ------
    UnreadableError
        When there is no summary, or a part of it is missing.
    """
    if _NO_PEERS.search(text):
        return {}
    header = "Neighbhor" if "Neighbhor" in text else "Neighbor"  # the misspelling is SONiC's
    rows = _complete(text, header, _PEER_TOTAL)
    peers = {}
    for row in rows:
        state, address, asn = row.get("State/PfxRcd", ""), row[header], row.get("AS", "")
        if not _is_peer(address) or not asn.isdecimal() or not _STATE.fullmatch(state):
            raise UnreadableError(f"a row of the BGP summary is cut: {row}")
        is_up = state.isdecimal()
        established_s = frr_seconds(row.get("Up/Down", "")) if is_up else None
        peers[address] = BgpPeer(is_up, state, int(asn), established_s)
    return peers


def bgp_ipv6(text: str) -> dict[str, BgpPeer]:
    """Parse ``show ipv6 bgp summary`` as :func:`bgp_summary`; no answer: no peers.

    Raises
    ------
    UnreadableError
        When a part of the summary is missing.
    """
    return bgp_summary(text) if text.strip() else {}


def lldp_table(text: str) -> dict[str, tuple[LldpNeighbour, ...]]:
    """Parse ``show lldp table``; a port can have several neighbours.

    Raises
    ------
    UnreadableError
        When there is no table, or a part of it is missing.
    """
    neighbours: dict[str, tuple[LldpNeighbour, ...]] = {}
    for row in _complete(text, "LocalPort", _LLDP_TOTAL):
        missing = {"LocalPort", "RemoteDevice", "RemotePortID"} - row.keys()
        if missing or not row["LocalPort"]:
            raise UnreadableError(f"a row of the LLDP table is cut: {row}")
        neighbour = LldpNeighbour(
            row["RemoteDevice"], row["RemotePortID"], row.get("RemotePortDescr", "")
        )
        neighbours[row["LocalPort"]] = (*neighbours.get(row["LocalPort"], ()), neighbour)
    return neighbours


def _complete(text: str, header: str, total: re.Pattern[str]) -> list[dict[str, str]]:
    """Return the rows of a table that says at its end how many there are."""
    text = plain(text)
    said = total.search(text)
    if not said:
        raise UnreadableError("the end of the table is missing")
    rows = parse_table(text, header)
    if len(rows) != int(said[1]):
        raise UnreadableError(
            f"the table has {counted(len(rows), 'row')} and says that it has {said[1]}"
        )
    return rows


def pfc_priority(text: str) -> dict[str, tuple[int, ...]]:
    """Parse ``show pfc priority``; ``N/A`` means none.

    Raises
    ------
    UnreadableError
        When there is no such table, or a row of it is cut.
    """
    if not text.endswith("\n"):
        raise UnreadableError("the last line is cut")
    by_name = {}
    for row in parse_table(text, "Interface"):
        if "Lossless priorities" not in row or not PORT.fullmatch(row["Interface"]):
            raise UnreadableError(f"this is not a table of lossless priorities: {row}")
        by_name[row["Interface"]] = _priorities(row["Lossless priorities"])
    return by_name


def _priorities(text: str) -> tuple[int, ...]:
    if text == "N/A":
        return ()
    if not _PRIORITIES.fullmatch(text):
        raise UnreadableError(f"{text!r} is not a list of priorities")
    return tuple(int(part) for part in text.split(","))


def _is_peer(text: str) -> bool:
    """Tell whether it is an address, or the port of a session without addresses."""
    if re.fullmatch(r"Ethernet\d+", text):
        return True
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def config_db(text: str) -> dict[str, dict[str, Any]]:
    """Parse a CONFIG_DB dump.

    Raises
    ------
    UnreadableError
        When the dump is not a JSON object of tables.
    """
    try:
        config = parse_json(text)
    except json.JSONDecodeError as error:
        raise UnreadableError(f"CONFIG_DB is not JSON: {error}") from error
    if not isinstance(config, dict) or not all(isinstance(rows, dict) for rows in config.values()):
        raise UnreadableError("CONFIG_DB is not a set of tables")
    return config


def kernel_parameters(text: str) -> dict[str, str]:
    """Parse lines of ``sysctl``: ``name = value``.

    Raises
    ------
    UnreadableError
        When there is none, or a line is not of that form.
    """
    by_name = {}
    for line in plain(text).splitlines():
        name, sign, value = line.partition(" = ")
        if not sign or not _PARAMETER.fullmatch(name) or not value:
            raise UnreadableError(f"sysctl printed {line[:80]!r}")
        by_name[name] = value
    if not by_name:
        raise UnreadableError("sysctl printed nothing")
    return by_name


def daemons(text: str) -> dict[str, str]:
    """Parse ``supervisorctl status NAME``; a daemon that supervisord does not know is ``ABSENT``.

    Raises
    ------
    UnreadableError
        When it is not one line about one daemon.
    """
    line = plain(text)
    if absent := _NO_DAEMON.fullmatch(line):
        return {absent[1]: "ABSENT"}
    said = _DAEMON.fullmatch(line)
    if said is None:
        raise UnreadableError(f"supervisorctl printed {line[:80]!r}")
    return {said[1]: said[2]}


def system_facts(text: str) -> dict[str, str]:
    """Parse ``sonic_version.yml``; what it does not say is left out."""
    said = dict(_FACT.findall(plain(text)))
    version = said.get("build_version", "").strip()
    release = known_release(version)
    facts = {"release": release, "version": version, "asic_type": said.get("asic_type", "")}
    return {name: value for name, value in facts.items() if value}


class SonicParser:
    """Reads SONiC back."""

    readings: ClassVar[Mapping[str, tuple[str, Reading]]] = {
        "uptime": ("facts", uptime),
        "bgp": ("bgp", bgp_summary),
        "bgp_ipv6": ("bgp", bgp_ipv6),
        "lldp": ("lldp", lldp_table),
        "pfc_priority": ("pfc_priorities", pfc_priority),
        "interfaces": ("interfaces", sonic_state.interface_status),
        "interface_counters": ("interfaces", sonic_state.interface_counters),
        "interface_bytes": ("interfaces", sonic_state.interface_bytes),
        "fec_counters": ("interfaces", sonic_state.fec_counters),
        "temperatures": ("temperatures", sonic_state.temperatures),
        "pfc_counters": ("pfc_counters", sonic_state.pfc_counters),
        "watchdog_stats": ("watchdog", sonic_state.watchdog_stats),
        "ecn": ("ecn_profiles", sonic_state.ecn_profiles),
        "queue_counters": ("queues", sonic_state.queue_counters),
        "queue_watermarks": ("queues", sonic_state.queue_watermarks),
        "group_drops": ("priority_groups", sonic_state.group_drops),
        "group_watermarks": ("priority_groups", sonic_state.group_watermarks),
        "group_shared_watermarks": ("priority_groups", sonic_state.group_shared_watermarks),
        "pool_watermarks": ("buffer_pools", sonic_state.pool_watermarks),
        "headroom_pool_watermarks": ("buffer_pools", sonic_state.headroom_pool_watermarks),
        "arp": ("neighbours", sonic_state.neighbours),
        "ndp": ("neighbours", sonic_state.neighbours),
        "macs": ("macs", sonic_state.mac_table),
        "tables": ("tables", sonic_state.table_use),
        "kernel": ("kernel", kernel_parameters),
        "daemons": ("daemons", daemons),
    }

    def running(self, device: str, texts: Mapping[str, str]) -> Running:
        """Return CONFIG_DB as it runs."""
        config = config_db(texts["config"])
        canonical = indented(json.loads(json.dumps(_tables(config), sort_keys=True)))
        kernel = kernel_parameters(texts["kernel"]) if "kernel" in texts else {}
        # An interface of the kernel comes a while after its VLAN: the others tell a state.
        lasting = [f"{name} = {value}" for name, value in kernel.items() if ".default." in name]
        return Running(
            device=device,
            platform="sonic",
            config=config,
            canonical="\n".join([canonical, *sorted(lasting)]),
            saved=texts["startup"] == texts["config"]
            or _tables(config_db(texts["startup"])) == _tables(config),
            kernel=kernel,
            system=system_facts(texts.get("version", "")),
            files={
                name.removeprefix("file:"): text
                for name, text in texts.items()
                if name.startswith("file:")
            },
        )


def _tables(config: dict[str, Any]) -> dict[str, Any]:
    """Return the tables that have rows."""
    return {table: rows for table, rows in config.items() if rows}


parsers.add("sonic")(SonicParser())

#: sonic-net/sonic-utilities 202405 scripts/watermarkstat.
WATERMARK_TITLES = titles.add("sonic")({
    "Ingress headroom per PG:": "group_watermarks",
    "Ingress shared pool occupancy per PG:": "group_shared_watermarks",
    "Shared pool maximum occupancy:": "pool_watermarks",
    "Headroom pool maximum occupancy:": "headroom_pool_watermarks",
})
