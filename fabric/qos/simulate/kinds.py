"""Names of the types that the kernels work on, for type checkers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from fabric.qos.simulate.state import Flow, Hop, Law, Packet, SimulatedNode, SimulatedPort

Ports: TypeAlias = Sequence[SimulatedPort]
Nodes: TypeAlias = Sequence[SimulatedNode]
Flows: TypeAlias = Sequence[Flow]
Packets: TypeAlias = Sequence[Packet]
Trail: TypeAlias = Sequence[Hop]
Laws: TypeAlias = Sequence[Law]
Whole: TypeAlias = list[int]
#: Time, order, kind, of which port, flow or sample, and a number that the kind needs.
Events: TypeAlias = list[tuple[int, int, int, int, int]]
