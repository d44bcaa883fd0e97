"""EOS: JSON answers of eAPI (shapes of aristanetworks/anta) and configuration text."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, TypeVar

from fabric.core.json_text import parse_json
from fabric.observe.parsers import UnreadableError, parsers
from fabric.observe.parsers.tables import as_number
from fabric.observe.snapshot import Running
from fabric.observe.state import BgpPeer, LldpNeighbour
from fabric.systems.eos.parsers import optics as eos_optics
from fabric.systems.eos.parsers import routes as routes
from fabric.systems.eos.parsers import state as eos_state
from fabric.systems.eos.texts import text_ends

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabric.observe.parsers import Reading

T = TypeVar("T")


def _load(text: str, key: str, kind: type[T]) -> T:
    try:
        data = parse_json(text)[key]
    except (ValueError, KeyError, TypeError) as error:
        raise UnreadableError(f"no {key!r} in the answer") from error
    if not isinstance(data, kind):
        raise UnreadableError(f"{key!r} of the answer is not a {kind.__name__}")
    return data


def bgp_summary(text: str) -> dict[str, BgpPeer]:
    """Parse ``show ip bgp summary vrf all | json``: the peers of the default VRF, the underlay.

    Raises
    ------
    UnreadableError
        When the answer is not that JSON.
    """
    vrf = _load(text, "vrfs", dict).get("default", {"peers": {}})
    peers = {}
    try:
        for address, peer in vrf["peers"].items():
            state = peer["peerState"]
            if not isinstance(state, str) or not state:
                raise UnreadableError(f"peer {address} has no state")
            asn = as_number(str(peer["asn"]))
            peers[_session(address)] = BgpPeer(state == "Established", state, asn)
    except (KeyError, TypeError, AttributeError) as error:
        raise UnreadableError("the answer has no table of BGP peers") from error
    return peers


def bgp_of_family(text: str) -> dict[str, BgpPeer]:
    """Parse the summary of IPv6 or EVPN peers as :func:`bgp_summary`; no answer: no peers.

    Raises
    ------
    UnreadableError
        When the answer is not that JSON.
    """
    return bgp_summary(text) if text else {}


def _session(address: str) -> str:
    """Return an address, or the port of a link-local one: ``fe80::1%Et1/1`` is Ethernet1/1."""
    _, percent, port = address.partition("%")
    return f"Ethernet{port.removeprefix('Et')}" if percent else address


def lldp_neighbours(text: str) -> dict[str, tuple[LldpNeighbour, ...]]:
    """Parse ``show lldp neighbors | json``, or raise UnreadableError."""
    neighbours: dict[str, tuple[LldpNeighbour, ...]] = {}
    for row in _load(text, "lldpNeighbors", list):
        try:
            port, device, far = row["port"], row["neighborDevice"], row["neighborPort"]
        except (KeyError, TypeError) as error:
            raise UnreadableError("a row of the LLDP answer is incomplete") from error
        if not all(isinstance(name, str) for name in (port, device, far)):
            raise UnreadableError(f"a row of the LLDP answer holds no names: {row}")
        neighbours[port] = (*neighbours.get(port, ()), LldpNeighbour(device, far))
    return neighbours


def marked_lines(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each line of a configuration, and whether it is text: of a banner or a certificate."""
    ends = 0
    for line in text.splitlines():
        yield line, ends > 0
        words = line.strip()
        if ends:
            ends -= words == "EOF"
        else:
            ends = len(text_ends(words))


def configuration(text: str) -> str:
    """Return configuration text without the lines that carry times and versions.

    Comments of a mode, which begin with ``!!``, belong to the configuration.
    """
    lines = []
    for line, is_text in marked_lines(text.replace("\r", "")):
        words = line.strip()
        noise = not words or (words.startswith("!") and not words.startswith("!!"))
        if is_text or not noise:
            lines.append(line if is_text else line.rstrip())
    return "\n".join(lines) + "\n"


class EosParser:
    """Reads EOS back."""

    readings: ClassVar[Mapping[str, tuple[str, Reading]]] = {
        "bgp": ("bgp", bgp_summary),
        "bgp_ipv6": ("bgp", bgp_of_family),
        "bgp_evpn": ("bgp", bgp_of_family),
        "lldp": ("lldp", lldp_neighbours),
        "version": ("facts", eos_state.facts),
        "hostname": ("facts", eos_state.host_name),
        "interfaces": ("interfaces", eos_state.interfaces),
        "pfc_counters": ("interfaces", eos_state.pfc_frames),
        "ecn_counters": ("ecn", eos_state.ecn_marks),
        "queue_counters": ("queues", eos_state.queue_drops),
        "optics": ("optics", eos_optics.optics),
        "signal": ("optics", eos_optics.bit_errors),
        "temperatures": ("temperatures", eos_optics.temperatures),
        "arp": ("neighbours", eos_state.neighbours),
        "macs": ("macs", eos_state.macs),
    }

    def running(self, device: str, texts: Mapping[str, str]) -> Running:
        """Return the running configuration.

        Raises
        ------
        UnreadableError
            When the answer is empty or its end is missing.
        """
        text = configuration(texts["config"])
        if not text.strip():
            raise UnreadableError("the running configuration is empty")
        if text.splitlines()[-1] != "end":
            raise UnreadableError("the end of the running configuration is missing")
        return Running.of_text(device, "eos", text, saved=configuration(texts["startup"]) == text)


parsers.add("eos")(EosParser())
