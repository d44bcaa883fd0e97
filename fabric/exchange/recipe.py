"""What is written beside the plant."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.exchange.plant import End


@dataclass(frozen=True)
class Recipe:
    """What is written beside the plant.

    Parameters
    ----------
    name : str
        Name of the fabric, where the plant has none.
    source : str
        What was read, for the head of the files.
    base : mapping
        Sections of ``fabric.yaml`` that the plant does not tell.
    skus : mapping
        Switch model of the catalogue by switch; a switch without one gets that of its role.
    gpus : int or None
        GPUs of a host; None is what the base says.
    addresses : mapping
        Addresses of NICs that differ from those that follow from positions.
    base_name : str
        What the user calls the base; empty for defaults.
    told : frozenset of str
        Sections of ``platforms`` whose model the user gives with the command.
    invented : frozenset of str
        Units and pods that the source does not name.
    """

    name: str
    source: str
    base: Mapping[str, Any]
    skus: Mapping[str, str] = field(default_factory=dict)
    gpus: int | None = None
    addresses: Mapping[End, str] = field(default_factory=dict)
    base_name: str = ""
    told: frozenset[str] = frozenset()
    invented: frozenset[str] = frozenset()
