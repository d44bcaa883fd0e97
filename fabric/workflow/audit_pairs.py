"""audit --pairs: settings of NICs against the leaf ports of the configurations of the same call."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fabric.audit.ends import cables
from fabric.audit.host_class import HOST
from fabric.audit.leaf_side import running_side
from fabric.audit.pairs import Mismatch, mismatches, raw_beside
from fabric.core.counts import noun
from fabric.observe.configuration.lossless import Lossless
from fabric.observe.nicprofiles.saved_nic import profiles_of_nic
from fabric.workflow.nic_profiles import Profiles, pair_finding, place_of, read_profiles

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from fabric.audit.ends import End, Neighbours
    from fabric.core.findings import Finding
    from fabric.observe.nicprofiles.record import NicProfile
    from fabric.observe.saved.model import SavedHost


@dataclass(frozen=True)
class Running:
    """What the files of a call say of its switches, and what LLDP saw on their ports.

    Parameters
    ----------
    fabric : mapping of str to Lossless
        By name of the switch.
    files : mapping of str to Path
        Configuration of each switch.
    """

    fabric: Mapping[str, Lossless]
    files: Mapping[str, Path]
    seen: Mapping[str, Neighbours]
    hosts: Sequence[SavedHost]


def judged_pairs(running: Running, files: Iterable[Path]) -> Iterator[Finding]:
    """Yield what NICs have unlike the ports that they are plugged into.

    Parameters
    ----------
    files : sequence of Path
        NIC profiles of other forms than outputs of hosts.

    Raises
    ------
    InputError
        When a profile cannot be read.
    """
    read = read_profiles(files)
    others = [one for one in read.profiles if not _may_be_absent(one)]
    named = [*_named(running.hosts), *((*place_of(one), one) for one in others)]
    ends = _ends(running, named)
    ports: dict[End, End] = {}
    for pair in cables(ends, running.seen):
        ports.update({
            far: near
            for near, far in (pair, pair[::-1])
            if near[0] in running.fabric and far[0] not in running.fabric
        })
    links = {end for pair in cables(running.fabric, running.seen) for end in pair}
    idle = {(host.name, name) for host in running.hosts for name in host.nics}
    idle -= {(host.name, nic.name) for host in running.hosts for nic in host.roce_nics}
    strange: dict[str, list[tuple[str, NicProfile]]] = defaultdict(list)
    for host, nic, profile in named:
        own = _ports_of(running, (host, nic), ports, links)
        yield from _judged(running, read, profile, own or [])
        if not own and (host, nic) not in idle:
            strange[host].append((nic, profile))
    yield from map(_missing, strange.values())


def _missing(rows: Sequence[tuple[str, NicProfile]]) -> Finding:
    """Return that no port is known to have the NICs of a host."""
    names = sorted({nic for nic, _ in rows if nic})
    others = f" and {len(names) - 1} more of its host" if len(names) > 1 else ""
    words = f"no port of the switches is known to have NIC {names[0]}{others}" if names else ""
    profile = rows[0][1]
    message = words or "no port of the switches is known to have the NICs of these settings"
    return pair_finding(profile, Mismatch("NIC016", profile.line, message))


def _may_be_absent(profile: NicProfile) -> bool:
    """Tell whether settings are for a second port, which no file says to be there."""
    return profile.port > 1 and profile.cnp_by_release is not None


def _named(hosts: Sequence[SavedHost]) -> Iterator[tuple[str, str, NicProfile]]:
    """Yield the settings of NICs, also of those that pause nothing."""
    for host in hosts:
        for nic in host.nics.values():
            for profile in profiles_of_nic(host, nic):
                yield host.name, nic.name, profile


def _ends(running: Running, named: Sequence[tuple[str, str, NicProfile]]) -> Mapping[str, Lossless]:
    """Return switches and hosts, whose NICs are ports that cables may end in."""
    ends: dict[str, Lossless] = {}
    for host, nic, _ in named:
        if nic:
            ends.setdefault(host, Lossless(HOST, host)).port(nic, 0)
    return ends | dict(running.fabric)


def _ports_of(
    running: Running, end: End, ports: Mapping[End, End], links: set[End]
) -> list[End] | None:
    """Return the ports that a profile is about; None where it names a NIC that no port has.

    A profile of no NIC is about those of its host, or about every lossless port that is not between
    two switches.
    """
    host, nic = end
    if nic:
        return [ports[end]] if end in ports else None
    if host in {saved.name for saved in running.hosts}:
        return [port for (name, _), port in ports.items() if name == host] or None
    return [
        (name, port.name)
        for name, switch in running.fabric.items()
        for port in switch.ports.values()
        if port.enabled and port.lossless and (name, port.name) not in links
    ]


def _judged(
    running: Running, read: Profiles, profile: NicProfile, ports: list[End]
) -> Iterator[Finding]:
    """Yield the mismatches of a profile, each with the first of the ports that have it."""
    for mismatch in raw_beside(profile, read.release):
        yield pair_finding(profile, mismatch)
    if not ports:
        return
    places: dict[Mismatch, list[tuple[End, Mismatch]]] = defaultdict(list)
    for name, port in ports:
        side = running_side(running.fabric[name].ports[port], str(running.files[name]))
        unlike = [*mismatches(profile, side)]
        bare = mismatches(profile, replace(side, places={})) if unlike else ()
        for key, mismatch in zip(bare, unlike, strict=True):
            places[key].append(((name, port), mismatch))
    for rows in places.values():
        (name, port), mismatch = rows[0]
        others = len(rows) - 1
        more = f"; and {others:,} more {noun(others, 'port')}" if others else ""
        yield pair_finding(profile, mismatch, name, port, more)
