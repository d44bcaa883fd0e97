"""A question to the engine, and its answer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from fabric.placement.engine.traffic import RING, Traffic

if TYPE_CHECKING:
    from fabric.topology.model import Ints


#: Rule of a request of a job that is wrong in itself, wherever it comes from.
JOB_RULE = "PLC031"


class Within(StrEnum):
    """What all hosts of a job must share: an NVLink domain, a unit (its leaves), or a pod."""

    BLOCK = "block"
    UNIT = "unit"
    POD = "pod"


@dataclass(frozen=True)
class Query:
    """A job that needs hosts.

    Parameters
    ----------
    nodes : int
        Hosts, >= 1.
    gpus_per_node : int or None
        GPUs of each, from GPU 0 on; None takes all.
    traffic : Traffic
        What its hosts send to each other.
    hosts : tuple of str
        Rank exactly these hosts: the job is there already, or somebody chose; empty searches.
    include : tuple of str
        Search among these hosts only; empty searches all.
    exclude : tuple of str
        Hosts that must not be used.
    within : Within or None
        What all hosts must share.
    segment : int or None
        Hosts that must stay together on one unit; divides ``nodes``.
    max_units : int or None
        Most units that the job may spread over.
    target : float
        Load of links that is good enough: below it, fewer units are better than lighter links.
        1 is the rate of the NICs, which is right where packets are sprayed; with few queue pairs
        on hashed links the fullest one carries more than the mean, so that 0.5 may be. 0 always
        takes the lightest links.
    room : float
        Load that is accepted above the best for leaving larger jobs room: 0.1 is 10 %.
    nvlink_gpus : int or None
        GPUs of an NVLink domain; None is those of a host.
    tenant : str
        Tenant whose hosts it uses; empty for hosts without a tenant.
    """

    nodes: int
    gpus_per_node: int | None = None
    traffic: Traffic = RING
    hosts: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    within: Within | None = None
    segment: int | None = None
    max_units: int | None = None
    target: float = 1.0
    room: float = 0.0
    nvlink_gpus: int | None = None
    tenant: str = ""


@dataclass(frozen=True, slots=True)
class Room:
    """The largest job of a tenant, in hosts, that still fits a unit, a pod, and the fabric.

    Without pods there is none.
    """

    unit: int
    pod: int | None
    fabric: int


@dataclass(frozen=True)
class Answer:
    """Hosts for a job.

    Parameters
    ----------
    rows : array of int, shape (nodes,)
        Rows of the hosts in ``fabric.hosts``, in rank order.
    units : tuple of (int, int)
        Row of each unit, in rank order, and how many of the hosts it holds.
    rails : tuple of int
        Rails that the job uses, ascending.
    cost : float
        Load of the fullest link per step, be it a NIC or a cable between switches: 1 is a NIC at
        line rate, 2 takes twice as long. A NIC counts with the share of its host that is left.
    load : float
        Load of the fullest cable between switches, with the jobs that run.
    bound : float
        Of no choice of hosts that meets the request is the larger of ``load`` and the target less;
        ``cost`` may be less, as it is without the target.
    bottleneck : str
        The fullest link, or "NIC".
    rate : float
        Share of the NICs' line rate that the job gets, max-min fair with the jobs that run, and at
        most what its host with the least bandwidth left gives.
    slowed : tuple of (str, float, float)
        Running jobs that get less by this one: name, rate before and after.
    crossings : int
        Times that a ring over the hosts changes the unit; no order has fewer.
    pod_crossings : int
        Times that it changes the pod.
    room : Room
        What is left for other jobs.
    graded : tuple of (str, str)
        Hosts that are used though degraded, and why they are.
    unusable : tuple of (str, str)
        Hosts that were not considered by their state, and why.
    not_needed : tuple of (str, str)
        Degraded hosts that could have been used, and why they are degraded.
    links : tuple of (str, str)
        Cables and spines on the way of the job that are not as planned, and why.
    stopped : tuple of (str, str)
        Named hosts that take no job now, and why; then nothing is known of the bound, which is 0.
    unequal : tuple of str
        Hosts that lost a port of a NIC in a plane, while other hosts of the job have theirs.
    """

    rows: Ints
    units: tuple[tuple[int, int], ...]
    rails: tuple[int, ...]
    cost: float
    load: float
    bound: float
    target: float
    bottleneck: str
    rate: float
    slowed: tuple[tuple[str, float, float], ...]
    crossings: int
    pod_crossings: int
    room: Room
    graded: tuple[tuple[str, str], ...]
    unusable: tuple[tuple[str, str], ...]
    not_needed: tuple[tuple[str, str], ...]
    links: tuple[tuple[str, str], ...]
    stopped: tuple[tuple[str, str], ...] = ()
    unequal: tuple[str, ...] = ()

    @property
    def gap(self) -> float:
        """How far the load may be above the best, as a share of the bound; 0 is proven best.

        Infinite where the bound is 0 and the load is not.
        """
        reached = max(self.load, self.target)
        if not self.bound:
            return float("inf") if reached else 0.0
        return reached / self.bound - 1.0
