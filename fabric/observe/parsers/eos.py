"""EOS: JSON answers of eAPI (shapes of aristanetworks/anta) and configuration text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar

from fabric.observe.parsers import UnreadableError, parsers
from fabric.observe.snapshot import BgpPeer, LldpNeighbour, Running

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.observe.parsers import Reading


def _load(text: str, key: str) -> Any:
    try:
        return json.loads(text)[key]
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        message = f"no {key!r} in the answer"
        raise UnreadableError(message) from error


def bgp_summary(text: str) -> dict[str, BgpPeer]:
    """Parse ``show ip bgp summary vrf all | json``."""
    found = {}
    for vrf in _load(text, "vrfs").values():
        for address, peer in vrf.get("peers", {}).items():
            state = str(peer["peerState"])
            found[address] = BgpPeer(state == "Established", state, int(peer["asn"]))
    return found


def lldp_neighbours(text: str) -> dict[str, tuple[LldpNeighbour, ...]]:
    """Parse ``show lldp neighbors | json``."""
    found: dict[str, tuple[LldpNeighbour, ...]] = {}
    for row in _load(text, "lldpNeighbors"):
        neighbour = LldpNeighbour(row["neighborDevice"], row["neighborPort"])
        found[row["port"]] = (*found.get(row["port"], ()), neighbour)
    return found


def configuration(text: str) -> str:
    """Return configuration text without comment lines, which carry times and versions."""
    lines = [line.rstrip() for line in text.replace("\r", "").splitlines()]
    return "\n".join(line for line in lines if line and not line.lstrip().startswith("!")) + "\n"


class EosParser:
    """Reads EOS back."""

    readings: ClassVar[Mapping[str, tuple[str, Reading]]] = {
        "bgp": ("bgp", bgp_summary),
        "lldp": ("lldp", lldp_neighbours),
    }

    def running(self, device: str, texts: Mapping[str, str]) -> Running:
        """Return the running configuration.

        Raises
        ------
        UnreadableError
            When the answer is empty.
        """
        text = configuration(texts["config"])
        if not text.strip():
            message = "the running configuration is empty"
            raise UnreadableError(message)
        return Running(
            device=device,
            platform="eos",
            config=text,
            canonical=text,
            saved=configuration(texts["startup"]) == text,
            files={},
        )


parsers.add("eos")(EosParser())
