"""EOS: JSON answers of eAPI (shapes of aristanetworks/anta) and configuration text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, ClassVar, TypeVar

from fabric.observe.parsers import UnreadableError, parsers
from fabric.observe.snapshot import Running
from fabric.observe.state import BgpPeer, LldpNeighbour
from fabric.systems.eos.parsers import state as eos_state

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabric.observe.parsers import Reading

T = TypeVar("T")


def _load(text: str, key: str, kind: type[T]) -> T:
    try:
        found = json.loads(text)[key]
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise UnreadableError(f"no {key!r} in the answer") from error
    if not isinstance(found, kind):
        raise UnreadableError(f"{key!r} of the answer is not a {kind.__name__}")
    return found


def bgp_summary(text: str) -> dict[str, BgpPeer]:
    """Parse ``show ip bgp summary vrf all | json``: the peers of the default VRF, the underlay.

    Raises
    ------
    UnreadableError
        When the answer is not that JSON.
    """
    vrf = _load(text, "vrfs", dict).get("default", {"peers": {}})
    found = {}
    try:
        for address, peer in vrf["peers"].items():
            state = peer["peerState"]
            if not isinstance(state, str) or not state:
                raise UnreadableError(f"peer {address} has no state")
            asn = _asn(str(peer["asn"]))
            found[_session(address)] = BgpPeer(state == "Established", state, asn)
    except (KeyError, TypeError, AttributeError) as error:
        raise UnreadableError("the answer has no table of BGP peers") from error
    return found


def _session(address: str) -> str:
    """Return an address, or the port of a link-local one: ``fe80::1%Et1/1`` is Ethernet1/1."""
    _, percent, port = address.partition("%")
    return f"Ethernet{port.removeprefix('Et')}" if percent else address


def _asn(text: str) -> int:
    """Return an AS number that is written plainly or as ``65000.1`` (RFC 5396 asdot)."""
    high, dot, low = text.partition(".")
    if not high.isdecimal() or (dot and not low.isdecimal()):
        raise UnreadableError(f"{text!r} is not an AS number")
    return (int(high) << 16) + int(low) if dot else int(high)


def lldp_neighbours(text: str) -> dict[str, tuple[LldpNeighbour, ...]]:
    """Parse ``show lldp neighbors | json``.

    Raises
    ------
    UnreadableError
        When the answer is not that JSON.
    """
    found: dict[str, tuple[LldpNeighbour, ...]] = {}
    for row in _load(text, "lldpNeighbors", list):
        try:
            port, device, far = row["port"], row["neighborDevice"], row["neighborPort"]
        except (KeyError, TypeError) as error:
            raise UnreadableError("a row of the LLDP answer is incomplete") from error
        if not all(isinstance(name, str) for name in (port, device, far)):
            raise UnreadableError(f"a row of the LLDP answer holds no names: {row}")
        found[port] = (*found.get(port, ()), LldpNeighbour(device, far))
    return found


#: Commands that a text follows, and how many ``EOF`` end it (napalm ``HEREDOC_COMMANDS``).
_TEXTS = {"banner": 1, "protocol https certificate": 2}


def marked_lines(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each line of a configuration, and whether it is text: of a banner or a certificate."""
    ends = 0
    for line in text.splitlines():
        yield line, ends > 0
        words = line.strip()
        if ends:
            ends -= words == "EOF"
        else:
            ends = _TEXTS.get("banner" if words.startswith("banner ") else words, 0)


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
        "lldp": ("lldp", lldp_neighbours),
        "version": ("facts", eos_state.facts),
        "interfaces": ("interfaces", eos_state.interfaces),
        "pfc_counters": ("interfaces", eos_state.pfc_frames),
        "ecn_counters": ("ecn", eos_state.ecn_marks),
        "queue_counters": ("queues", eos_state.queue_drops),
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
        return Running(
            device=device,
            platform="eos",
            config=text,
            canonical=text,
            saved=configuration(texts["startup"]) == text,
            files={},
        )


parsers.add("eos")(EosParser())
