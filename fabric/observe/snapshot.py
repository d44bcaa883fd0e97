"""Types of observed state."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class LldpNeighbour:
    """What LLDP saw on a port."""

    system_name: str
    port_id: str
    description: str = ""


@dataclass(frozen=True, slots=True)
class BgpPeer:
    """State of a BGP session."""

    established: bool
    state: str
    asn: int


@dataclass(frozen=True)
class Snapshot:
    """Operational state of one device.

    A field is None when its reading failed or was not asked for; ``unknown`` names the readings
    that could not be understood, ``raw`` keeps what the device said.
    """

    device: str
    bgp: Mapping[str, BgpPeer] | None = None
    lldp: Mapping[str, tuple[LldpNeighbour, ...]] | None = None
    pfc_priorities: Mapping[str, tuple[int, ...]] | None = None
    unknown: tuple[str, ...] = ()
    raw: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Running:
    """Running configuration of one device in a comparable form.

    Parameters
    ----------
    config : Any
        SONiC: CONFIG_DB; EOS: text without comments; host: live settings by NIC.
    canonical : str
        The same as text, byte for byte equal when nothing relevant differs.
    saved : bool or None
        Whether the startup configuration equals it; None where there is no such thing.
    files : mapping
        Content of the files of ours by path.
    """

    device: str
    platform: str
    config: Any
    canonical: str
    saved: bool | None
    files: Mapping[str, str]

    @property
    def fingerprint(self) -> str:
        """SHA-256 of configuration and files."""
        digest = hashlib.sha256(self.canonical.encode())
        for path in sorted(self.files):
            digest.update(f"\0{path}\0{self.files[path]}".encode())
        return digest.hexdigest()
