"""A cage of the front panel, and how it is split."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - read at run time by the models of data files
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Mode:
    """How a cage is split.

    Parameters
    ----------
    word : str
        As SONiC writes it: ``2x400G[200G,100G]``.
    parts : int
        Ports of the cage.
    speeds_gbps : tuple of int
        Speeds that a part can run at; the first is that of the name.
    lanes : int or None
        Lanes of the cage that are used; None = all.
    """

    word: str
    parts: int
    speeds_gbps: tuple[int, ...]
    lanes: int | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a port is: ``cage`` counts from 1, ``part`` from 0; ``mode`` None = the whole cage."""

    cage: int
    part: int = 0
    mode: Mode | None = None


@dataclass(frozen=True, slots=True, eq=False)
class CageKind:
    """Cages of one kind that follow each other on the front panel; fields as in `Sku`.

    ``step`` is how far ``{lane}`` goes on from cage to cage where that is not by ``lanes``; 0 = by
    the lanes. ``slot_ports`` are the cages of a line card, 0 where there is none; ``first_slot`` is
    the slot of the first card of the kind.
    """

    count: int
    lanes: int
    speeds_gbps: tuple[int, ...]
    name: str
    alias: str
    part_name: str = ""
    part_alias: str = ""
    breakouts: tuple[str, ...] = ()
    speed_tokens: Mapping[int, str] = field(default_factory=dict)
    step: int = 0
    slot_ports: int = 0
    first_slot: int = 1

    def slot(self, place: int) -> dict[str, int]:
        """Return slot and port of a cage by its place in the kind, from 0; none without cards."""
        if not self.slot_ports:
            return {}
        slot, port = divmod(place, self.slot_ports)
        return {"slot": self.first_slot + slot, "slot_port": port + 1}

    @property
    def stride(self) -> int:
        """How far ``{lane}`` goes on from cage to cage."""
        return self.step or self.lanes
