"""What is not as planned: links, switches and hosts as they are now, and the jobs that run."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from fabric.placement.engine.traffic import RING, Traffic

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Rule of a state or a running job that does not fit the fabric, wherever it comes from.
STATE_RULE = "PLC030"


class Health(StrEnum):
    """How a link, a switch or a host is, from the worst.

    ``down`` and ``window`` (it is in a change window) take no new job, ``drained`` neither.
    ``degraded`` takes one where nothing better is free; a degraded link keeps a share of its speed.
    """

    DOWN = "down"
    DRAINED = "drained"
    WINDOW = "window"
    DEGRADED = "degraded"


def with_usual_share(condition: Any) -> Any:
    """Return a condition as it was sent; one that is degraded and names no share has all of it."""
    if isinstance(condition, dict) and condition.get("health") == Health.DEGRADED:
        return {"capacity": 1.0, **condition}
    return condition


def of_degraded(share: float, info: Any) -> float:
    """Return the share of a condition; raise ValueError where the health says that there is none.

    Parameters
    ----------
    info : ValidationInfo
        Of pydantic. With a context, the condition was taken before, and stays as it is.
    """
    health = info.data.get("health", Health.DEGRADED)  # a wrong one is named by itself
    if share and health is not Health.DEGRADED and not info.context:
        raise ValueError(f"{health} leaves no capacity; remove capacity, or set health to degraded")
    return share


@dataclass(frozen=True, slots=True)
class Condition:
    """One thing that is not as planned.

    Parameters
    ----------
    subject : str
        A host, a switch, or one end of a cable as ``device:port``.
    reason : str
        Why, for the answer; one line.
    capacity : float
        Share of its speed that what is degraded has left, 0 to 1; of others 0.
    is_unknown : bool
        Whether it could not be read, so that it may be as planned.
    """

    subject: str
    health: Health
    reason: str = ""
    capacity: float = 0.0
    is_unknown: bool = False


def speed_left(condition: Condition) -> float:
    """Return the share of its speed that the subject of a condition has left."""
    return condition.capacity if condition.health is Health.DEGRADED else 0.0


@dataclass(frozen=True)
class RunningJob:
    """A job that runs: its hosts take no other job, its traffic shares the links.

    Parameters
    ----------
    gpus_per_node : int or None
        GPUs that it uses on each, from GPU 0 on; None uses all.
    """

    name: str
    hosts: tuple[str, ...]
    traffic: Traffic = RING
    gpus_per_node: int | None = None


def worst_last(conditions: Iterable[Condition]) -> tuple[Condition, ...]:
    """Return conditions of several sources so that of one subject the worst counts."""
    return tuple(sorted(conditions, key=lambda condition: condition.health is not Health.DEGRADED))


@dataclass(frozen=True)
class State:
    """The fabric as it is now.

    Parameters
    ----------
    conditions : tuple of Condition
        What is not as planned; later ones of one subject replace earlier ones.
    """

    conditions: tuple[Condition, ...] = ()
    jobs: tuple[RunningJob, ...] = ()
