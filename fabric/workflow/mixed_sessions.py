"""BGP sessions between the waves of a change: those that only a later wave brings up again."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from fabric.prove.engine import Engine
from fabric.prove.overlay import between_neighbours
from fabric.prove.sessions import Session, sessions_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fabric.change.model import DevicePlan
    from fabric.prove.wiring import End, Network
    from fabric.workflow.project import Project
    from fabric.workflow.sides import Side

    Waves = Sequence[Sequence[str]]
    Place = tuple[str, str, str]


@dataclass(frozen=True)
class MixedSessions:
    """What becomes of sessions that come up when both ends have changed, and not before.

    Parameters
    ----------
    later : dict of str to dict
        By device and session: the number of the wave that brings it up, after that of the device.
    due : dict of str to dict
        By device and session: the own port that leads to the peer. A wave before took the session
        down; that of the device brings it up.
    cut : dict of (str, str) to tuple of int
        Ports whose cables carried traffic before the change: the numbers of the wave that takes
        the session down, and of the one that brings it up.
    """

    later: dict[str, dict[str, int]] = field(default_factory=dict)
    due: dict[str, dict[str, str]] = field(default_factory=dict)
    cut: dict[End, tuple[int, int]] = field(default_factory=dict)
    _lost: set[Place] = field(default_factory=set)

    @classmethod
    def of(cls, project: Project, waves: Waves, before: Side, after: Side) -> MixedSessions:
        """Return the sessions of all families.

        Parameters
        ----------
        waves : sequence of sequence of str
            Devices of each wave, in order.
        """
        families = zip(_networks(project, before), _networks(project, after), strict=True)
        links = [link for start, end in families for link in _links(waves, start, end)]
        up = {link.key for link in links if link.is_as_planned}
        result = cls()
        for link in sorted(links, key=lambda link: link.wave):
            if link.turn <= link.wave:
                result._bring_up(link)
            elif link.key not in up:
                result._postpone(link)
        return result

    def _postpone(self, link: _Link) -> None:
        self.later.setdefault(link.end.switch, {})[link.end.session] = link.turn
        if link.is_used and not link.is_up:
            self._lost.add(_place(link.end))
            if link.end.peer_port:
                self.cut[link.end.switch, link.end.port] = (link.wave, link.turn)

    def _bring_up(self, link: _Link) -> None:
        if link.is_used and _far_place(link.end) in self._lost:
            self.due.setdefault(link.end.switch, {})[link.end.session] = link.end.port

    @property
    def turns(self) -> list[int]:
        """Numbers of the waves after which sessions are down that were up before the change."""
        turns = (range(first, last) for first, last in self.cut.values())
        return sorted({*chain.from_iterable(turns)})

    def cut_after(self, number: int) -> frozenset[End]:
        """Return the ports whose sessions are down after a wave."""
        return frozenset(port for port, (first, last) in self.cut.items() if first <= number < last)

    def demanded(self, plans: Mapping[str, DevicePlan]) -> dict[str, DevicePlan]:
        """Return the plans of devices with the sessions that their waves wait for, or do not."""
        return {
            name: replace(plan, later=self.later.get(name, {}), due=self.due.get(name, {}))
            for name, plan in plans.items()
        }


class _Link(NamedTuple):
    """One end of a session that comes up when all waves are done, as the wave of its switch ends.

    Parameters
    ----------
    wave, turn : int
        Numbers of the waves of its switch and of its peer; 0 for a peer that does not change.
    is_used : bool
        Whether a session in its place was up before the change.
    is_up, is_as_planned : bool
        Whether it is up, and whether its peer has the planned AS number too.
    """

    end: Session
    wave: int
    turn: int
    is_used: bool
    is_up: bool
    is_as_planned: bool

    @property
    def key(self) -> End:
        """Switch and session, which are the same in both families where it has no addresses."""
        return self.end.switch, self.end.session


def _links(waves: Waves, start: Network, end: Network) -> Iterator[_Link]:
    """Yield the sessions of one family, wave by wave, from the ends that change."""
    turns = {name: number for number, wave in enumerate(waves, 1) for name in wave}
    files = dict(start.switches)
    now = replace(start, switches=files)
    for number, wave in enumerate(waves, 1):
        files |= {name: end.switches[name] for name in wave if name in end.switches}
        for name in wave:
            used, current = _up(start, name), _up(now, name)
            for place, planned in _up(end, name).items():
                link = current.get(place)
                is_up = link is not None and link.session == planned.session
                is_as_planned = is_up and _asn(now, planned.peer) == _asn(end, planned.peer)
                turn = turns.get(planned.peer, 0)
                yield _Link(planned, number, turn, place in used, is_up, is_as_planned)


def _asn(network: Network, name: str) -> int:
    bgp = network.switches[name].bgp
    return bgp.asn if bgp else 0


def _networks(project: Project, side: Side) -> list[Network]:
    return Engine(project.fabric, project.devices, project.hosts, side.routing).default_networks()


def _up(network: Network, name: str) -> dict[Place, Session]:
    """Return the sessions of a switch that come up, by their places.

    One between loopbacks has the first own port that leads to its peer, and none of the peer.
    """
    links = [link for link in sessions_of(network, name) if link.established]
    ports = {link.peer: link.port for link in reversed(links)}
    between = () if network.is_ipv6 else between_neighbours(network, name, links)
    ends = [*links, *(Session(*end[:3], ports[end.peer], end.peer, "", "") for end in between)]
    return {_place(end): end for end in ends}


def _place(end: Session) -> Place:
    """Return switch and port of a session, or both switches where it is between loopbacks."""
    return (end.switch, end.port, "") if end.peer_port else (end.switch, "", end.peer)


def _far_place(end: Session) -> Place:
    """Return the place of the other end of a session."""
    return (end.peer, end.peer_port, "" if end.peer_port else end.switch)
