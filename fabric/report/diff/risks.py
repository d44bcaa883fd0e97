"""Risks of a difference; a command names them without loading what finds them."""

from __future__ import annotations

from enum import StrEnum


class DiffRisk(StrEnum):
    """Risks of a difference, from the lowest to the highest.

    The first are those of a plan, as `fabric.change.model.Risk` prints them; the others concern
    what no single device shows.
    """

    HARMLESS = "harmless"
    BRIEF_LOSS = "brief loss"
    PORT_FLAP = "port flap"
    RESTART = "restart"
    UNKNOWN = "unknown"
    LESS_PROTECTION = "less protection"
    SESSIONS_END = "sessions end"
    REACHABILITY_LOST = "reachability lost"
    PROOF_FAILS = "proof fails"


#: All of them as text, in their order.
RISKS = tuple(risk.value for risk in DiffRisk)
