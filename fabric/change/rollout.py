"""How a plan goes through the fabric: its waves, and what is asked between them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from fabric.core.errors import PlanError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from fabric.intent.rollout_model import Rollout

#: Headers of IPv4 and ICMP (RFC 791, RFC 792), and of IPv6 and ICMPv6 (RFC 8200, RFC 4443).
PING_HEADERS_BYTES, PING_HEADERS_IPV6_BYTES = 28, 48
#: What follows from a hazard of a plan.
LOSS = "packets of the lossless class can be lost between waves"
#: Whose the bandwidth is that a wave leaves: of a pod, that to other pods.
POD = "pod"


@dataclass(frozen=True, slots=True)
class Ping:
    """Packets of full size from one NIC to another.

    Parameters
    ----------
    packet_bytes : int
        Size with the header of IP.
    leaves : tuple of str
        Leaves on its way; empty in earlier plans.
    """

    source_host: str
    target_host: str
    source: str
    target: str
    packet_bytes: int
    traffic_class_byte: int
    leaves: tuple[str, ...] = ()

    @property
    def figures(self) -> tuple[str, str, int, int]:
        """What the command needs: both addresses, payload, traffic class byte."""
        is_ipv6 = ":" in self.source
        payload_bytes = self.packet_bytes
        payload_bytes -= PING_HEADERS_IPV6_BYTES if is_ipv6 else PING_HEADERS_BYTES
        return self.source, self.target, payload_bytes, self.traffic_class_byte

    @property
    def hosts(self) -> frozenset[str]:
        """Both ends."""
        return frozenset((self.source_host, self.target_host))

    @property
    def reversed(self) -> Ping:
        """The ping from the other end."""
        ends = self.target_host, self.source_host, self.target, self.source
        return Ping(*ends, self.packet_bytes, self.traffic_class_byte, self.leaves)

    def needs(self, devices: Collection[str]) -> bool:
        """Tell whether one of some devices is at an end of it, or a leaf on its way."""
        return any(name in devices for name in (*self.hosts, *self.leaves))

    def __str__(self) -> str:
        return f"{self.source_host} {self.source} to {self.target_host} {self.target}"


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """Subnets of NIC ports that leave the VRF of a tenant in one wave.

    Parameters
    ----------
    leaf : str
        Whose ports leave.
    prefixes : tuple of str
        Subnets that no other leaf may have a route to in this VRF after the wave.
    systems : mapping of str to str
        The system of each other leaf that has the VRF then, and is asked.
    unasked : mapping of str to str
        Why others of these are not asked.
    silent : str
        Why there are none; empty where there are.
    """

    leaf: str
    vrf: str
    prefixes: tuple[str, ...]
    systems: Mapping[str, str] = field(default_factory=dict)
    unasked: Mapping[str, str] = field(default_factory=dict)
    silent: str = ""

    def without(self, lost: Collection[str]) -> Withdrawal:
        """Return what is asked where leaves are skipped in the run."""
        gone = {name: "skipped in this run" for name in self.systems if name in lost}
        systems = {name: one for name, one in self.systems.items() if name not in gone}
        return replace(self, systems=systems, unasked={**self.unasked, **gone})


@dataclass(frozen=True, slots=True)
class LeafPings:
    """What is pinged around the waves of a plan.

    A roll-out has its own pings in its waves, and of these at most those through leaves.

    Parameters
    ----------
    pings : mapping of str to Ping
        By the leaf that they go through, or the new host at one of their ends.
    silent : str
        Why no packet goes through the other leaves that change.
    denied : mapping of str to Ping
        Between two tenants, by leaf: what must not be answered after its wave, and after those of
        both hosts.
    joined : mapping of str to tuple of Ping
        To NICs that come into a tenant, by the device that changes last of all on their way: what
        must be answered after its wave.
    unjoined : str
        Why no packet goes to others of these NICs.
    withdrawn : tuple of Withdrawal
        Subnets that leave a tenant: what no other leaf may have a route to after their wave.
    """

    pings: Mapping[str, Ping]
    silent: str = ""
    denied: Mapping[str, Ping] = field(default_factory=dict)
    joined: Mapping[str, tuple[Ping, ...]] = field(default_factory=dict)
    unjoined: str = ""
    withdrawn: tuple[Withdrawal, ...] = ()

    def stage(self, wave: Sequence[str]) -> Stage | None:
        """Return a wave with its pings; None where it has none."""
        pings = tuple(self.pings[name] for name in wave if name in self.pings)
        stage = self.of_tenants(Stage("leaf", tuple(wave), pings=pings))
        return stage if pings or stage.denied or stage.joined or stage.withdrawn else None

    def of_tenants(self, stage: Stage) -> Stage:
        """Return a wave with the pings and the routes that tell of tenants."""
        names = {*stage.names}
        denied = (ping for leaf, ping in self.denied.items() if leaf in names or ping.hosts & names)
        joined = (ping for name in stage.names for ping in self.joined.get(name, ()))
        withdrawn = tuple(one for one in self.withdrawn if one.leaf in names)
        return replace(stage, denied=tuple(denied), joined=tuple(joined), withdrawn=withdrawn)

    @property
    def without_traffic(self) -> LeafPings:
        """What is asked while the traffic is stopped: switches alone."""
        return LeafPings({}, withdrawn=self.withdrawn)

    @property
    def every(self) -> list[Ping]:
        """All pings."""
        return [
            *self.pings.values(),
            *self.denied.values(),
            *(ping for pings in self.joined.values() for ping in pings),
        ]


@dataclass(frozen=True, slots=True)
class Stage:
    """A wave, and what is left while the devices that its change takes down are down, or else all.

    Parameters
    ----------
    kind : str
        ``canary``, ``super-spine``, ``spine``, ``leaf`` or ``host``.
    names : tuple of str
        Devices that change together.
    left_percent : float
        Bandwidth that the unit or pod with the greatest loss keeps: of a unit that of its NICs or
        of its uplinks, of a pod that to other pods.
    left_of : str
        Whose that is: ``NIC``, ``uplink`` or `POD`; empty where none is lost, and in earlier plans.
    lost_rails : int
        Hosts that lose a rail meanwhile, counted for each rail; hosts of the wave are not counted.
    cut_pairs : int
        Pairs of hosts that lose each other meanwhile, in the same way.
    pings : tuple of Ping
        What must be answered after the wave, where it was before.
    hosts : str
        Range of the hosts that change or lose a rail.
    jobs : tuple of str
        Jobs that ran on them when the plan was made.
    denied : tuple of Ping
        What must not be answered after the wave: it is between two tenants.
    joined : tuple of Ping
        What must be answered after the wave: it goes to a NIC that comes into a tenant.
    withdrawn : tuple of Withdrawal
        What no other leaf may have a route to after the wave.
    """

    kind: str
    names: tuple[str, ...]
    left_percent: float = 100.0
    lost_rails: int = 0
    cut_pairs: int = 0
    pings: tuple[Ping, ...] = ()
    hosts: str = ""
    jobs: tuple[str, ...] = ()
    denied: tuple[Ping, ...] = ()
    joined: tuple[Ping, ...] = ()
    withdrawn: tuple[Withdrawal, ...] = ()
    left_of: str = ""


@dataclass(frozen=True, slots=True)
class RolloutPlan:
    """How a plan goes through the fabric.

    Parameters
    ----------
    policy : Rollout
        Gates, soak, windows and approvals, as the inventory had them.
    stages : tuple of Stage
        The waves, in the order of those of the plan.
    hazards : tuple of str
        What is wrong between two waves, and neither before nor after all of them: traffic of the
        lossless class must stop meanwhile.
    jobs : tuple of str
        All jobs that ran when the plan was made, where there are hazards: they must stop.
    """

    policy: Rollout
    stages: tuple[Stage, ...]
    hazards: tuple[str, ...] = ()
    jobs: tuple[str, ...] = ()

    @property
    def turns(self) -> dict[str, int]:
        """The number of the wave of each device."""
        return {name: number for number, stage in enumerate(self.stages) for name in stage.names}

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "policy": self.policy.model_dump(mode="json"),
            "stages": [asdict(stage) for stage in self.stages],
            "hazards": list(self.hazards),
            "jobs": list(self.jobs),
        }


def stop(command: str = "apply") -> str:
    """Return what to do before a command that loses packets, whatever the kind of plan."""
    return f"stop the jobs before `rocefab {command}`"


def demand(command: str = "apply") -> str:
    """Return what to do before a command that is rejected where it loses packets."""
    return f"{stop(command)}, and add --traffic-stopped to it"


def refuse_losses(hazards: Sequence[str], command: str = "apply") -> None:
    """Refuse to lose packets between the waves of a roll-out.

    Raises
    ------
    PlanError
        When there are hazards, with the first one and what to do.
    """
    if hazards:
        raise PlanError(f"{LOSS}: {hazards[0]}; {demand(command)}")
