"""States between the waves of a change: some devices have new files, and others the old ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from fabric.audit.ends import differences, lossless_dscps
from fabric.audit.host_class import HOST
from fabric.core.likeness import like_groups, shape
from fabric.core.steps import steps
from fabric.design.tenancy import tunnel_bytes
from fabric.observe.configuration.meaning import meaning, with_own
from fabric.prove.engine import Engine
from fabric.topology.outages import outage, outage_of_ports
from fabric.workflow.carrying import cables, idle_ports, is_idle_on_a_side, moved_ports
from fabric.workflow.lost_paths import LostPaths, folded

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from fabric.observe.configuration import Configured
    from fabric.observe.configuration.lossless import Lossless, PortPolicy
    from fabric.prove.engine import Proof
    from fabric.topology.model import Fabric
    from fabric.workflow.carrying import Cable
    from fabric.workflow.project import Project
    from fabric.workflow.sides import Side

    Waves = Sequence[Sequence[str]]
    DscpSets = Mapping[str, frozenset[int]]

#: Rules of a proof that say that packets do not arrive, or arrive where they must not.
_FORWARDING = frozenset(("BAT005", "BAT006", "BAT007", "BAT014"))
_OF_TENANTS = frozenset(("BAT022", "BAT023", "BAT024", "BAT025"))
#: Those that are about pairs of NICs without a path alone.
_OF_PAIRS = frozenset(("BAT005", "BAT014", "BAT024"))


class _State(NamedTuple):
    """What devices say of the lossless class, and the longest packet between switches.

    The longest packet is 0 where the MTU of no NIC is known.
    """

    lossless: Mapping[str, Lossless]
    packet_bytes: float

    @classmethod
    def of(cls, project: Project, lossless: Mapping[str, Lossless]) -> _State:
        """Return the state; hosts send packets as long as the MTU of their NICs."""
        hosts = [lossless[name] for name in project.hosts if name in lossless]
        nics = [port.mtu_bytes for host in hosts for port in host.ports.values()]
        longest = max((mtu.value for mtu in nics if mtu), default=0)
        return cls(lossless, longest + tunnel_bytes(project.fabric) if longest else 0)


def hazards(
    project: Project, waves: Waves, before: Side, after: Side, *, in_waves: bool = True
) -> list[str]:
    """Return what is wrong in a state between two waves and neither before nor after all of them.

    A fabric in which no pair of NICs is connected before the change has no traffic to lose, nor has
    a cable that the change itself takes out of service: see `leaving_hosts`.

    Parameters
    ----------
    waves : sequence of sequence of str
        Devices of each wave, in order.
    in_waves : bool
        Whether a wave is judged too while all its switches are down.
    """
    unlike = lossless_hazards(project, waves, before, after)
    rerouted = _Rerouted.of(before, after)
    if not (unlike or rerouted.names) or not _carries_traffic(project, before):
        return []
    used = _with_nics_in_use(project, before, after)
    paths = _paths(project, waves, rerouted, used, in_waves=in_waves)
    return [*unlike, *folded(paths)]


def lossless_hazards(project: Project, waves: Waves, before: Side, after: Side) -> list[str]:
    """Return those of `hazards` that need no proof: what devices say of the lossless class."""
    unlike = folded(_ends(project, waves, before, after))
    return [*unlike, *_dscps(project, waves, before, after)]


def _ends(project: Project, waves: Waves, before: Side, after: Side) -> Iterator[LostPaths]:
    """Yield cables that carry traffic, and whose ends disagree or drop packets for a while."""
    start, end = (_State.of(project, side.lossless) for side in (before, after))
    now = dict(before.lossless)
    state = start._replace(lossless=now)
    of_device = _cables_of_devices(project)
    for number, wave in enumerate(waves, 1):
        now |= {name: after.lossless[name] for name in wave if name in after.lossless}
        if any(name in project.hosts for name in wave):
            state = _State.of(project, now)
        unlike = {
            name: [
                text
                for cable in of_device.get(name, ())
                for text in _words(state, cable)
                if text not in {*_words(start, cable), *_words(end, cable)}
                and not is_idle_on_a_side(cable, before, after)
            ]
            for name in wave
        }
        yield from _alike(number, {name: texts for name, texts in unlike.items() if texts})


def _alike(number: int, texts: Mapping[str, Sequence[str]]) -> Iterator[LostPaths]:
    """Yield what is wrong at the cables of devices of a wave: of like devices together."""
    for names in like_groups(texts, lambda name: shape(texts[name][0])):
        every = [text for name in names for text in texts[name]]
        yield LostPaths("after", number, every, 0, 0, names)


def _cables_of_devices(project: Project) -> dict[str, list[Cable]]:
    """Return the cables of each device."""
    of_device: dict[str, list[Cable]] = {}
    for cable in cables(project):
        of_device.setdefault(cable[0], []).append(cable)
        if cable[2] not in project.devices:
            of_device.setdefault(cable[2], []).append(cable)
    return of_device


def _words(state: _State, cable: Cable) -> list[str]:
    """Return what the two ends of a cable have different, and which of them drops packets."""
    name, port, peer, peer_port = cable
    here = state.lossless[name].ports.get(port) if name in state.lossless else None
    there = state.lossless[peer].ports.get(peer_port) if peer in state.lossless else None
    if here is None or there is None:
        return []
    unlike = [f"{name} {port}: {text} at {peer} {peer_port}" for text in differences(here, there)]
    if state.lossless[peer].system == HOST:
        sent = there.mtu_bytes.value if there.mtu_bytes else 0
        return [*unlike, *_too_long(cable[:2], here, sent)]
    ends = ((cable[:2], here), (cable[2:], there))
    return [
        *unlike,
        *(text for place, own in ends for text in _too_long(place, own, state.packet_bytes)),
    ]


def _too_long(place: tuple[str, str], port: PortPolicy, sent_bytes: float) -> Iterator[str]:
    """Yield that a port drops the longest packets that hosts send over it."""
    if port.mtu_bytes and port.mtu_bytes.value < sent_bytes:
        mtu = f"an MTU of {port.mtu_bytes.value:g} drops packets of {sent_bytes:g} bytes"
        yield f"{' '.join(place)}: {mtu}"


def _dscps(project: Project, waves: Waves, before: Side, after: Side) -> Iterator[str]:
    """Yield from which wave to which devices put more DSCP sets into the class than ever.

    A device without a cable that carries traffic does not count.
    """
    mixed = [*_mixed(waves, *(_dscp_sets(side, ()) for side in (before, after)))]
    if mixed:
        idle = _idle_devices(project, before, after)
        mixed = [*_mixed(waves, *(_dscp_sets(side, idle) for side in (before, after)))]
    if mixed:
        words = " on some devices and ".join(map(str, mixed[0][1]))
        yield f"after waves {mixed[0][0]} to {mixed[-1][0]}: lossless DSCPs are {words} on others"


def _mixed(waves: Waves, start: DscpSets, end: DscpSets) -> Iterator[tuple[int, list[int]]]:
    """Yield the waves after which there are more sets than ever, with the lowest DSCP of each."""
    now = dict(start)
    most = max(_kinds(start), _kinds(end))
    for number, wave in enumerate(waves, 1):
        now |= {name: end[name] for name in wave if name in end}
        if _kinds(now) > most:
            yield number, sorted(min(value) for value in _sets(now))


def _dscp_sets(side: Side, without: Collection[str]) -> DscpSets:
    return {
        name: lossless_dscps(state) for name, state in side.lossless.items() if name not in without
    }


def _idle_devices(project: Project, before: Side, after: Side) -> set[str]:
    """Return the devices none of whose cables carries traffic before a change and after it."""
    of_device = _cables_of_devices(project).items()
    return {
        name
        for name, own in of_device
        if all(is_idle_on_a_side(cable, before, after) for cable in own)
    }


def _kinds(sets: DscpSets) -> int:
    return len(_sets(sets))


def _sets(sets: DscpSets) -> set[frozenset[int]]:
    return {value for value in sets.values() if value}


class _Rerouted(NamedTuple):
    """What switches say of the ways of packets on both sides, and those that say something else.

    The proof of a state is that of the one before where no such switch changes: thresholds and
    other lines about queues are in none.
    """

    start: Mapping[str, Configured]
    end: Mapping[str, Configured]
    names: frozenset[str]

    @classmethod
    def of(cls, before: Side, after: Side) -> _Rerouted:
        """Return it; a change leaves what only the device has as it is."""
        start, end = before.routing, dict(after.routing)
        end |= {name: with_own(end[name], start[name]) for name in start.keys() & end.keys()}
        changed = (
            name
            for name, own in start.items()
            if name not in end or meaning(own) != meaning(end[name])
        )
        return cls(start, end, frozenset(changed))


def _paths(
    project: Project, waves: Waves, rerouted: _Rerouted, used: Fabric, *, in_waves: bool
) -> Iterator[LostPaths]:
    """Yield pairs of NICs without a path after a wave, or while its devices are down.

    Parameters
    ----------
    used : Fabric
        The fabric without the NICs that carry no traffic.
    """
    start, end, moving = rerouted
    if not moving or start.keys() != project.devices.keys():
        return
    ends = [_engine(project, files, used).prove() for files in (start, end)]
    known = {key for proof in ends for key in _broken(proof)}
    lost = max(proof.nic_pairs()[0] for proof in ends)
    now = dict(start)
    for number, wave in enumerate(steps("states between waves", waves), 1):
        down = [f"switch:{name}" for name in wave if name in project.devices]
        if down and in_waves:
            hit = _engine(project, now, used).prove_outage(outage(project.fabric, down))
            yield from _lost("during", number, hit, known, lost)
        now |= {name: end[name] for name in wave if name in end}
        if moving & {*wave}:
            hit = _engine(project, now, used).prove()
            yield from _lost("after", number, hit, known, lost)


def _lost(
    when: str, number: int, proof: Proof, known: Collection[str], known_lost: int
) -> Iterator[LostPaths]:
    """Yield what a state breaks that is not known: pairs without a path, and all else."""
    lost, pairs = proof.nic_pairs()
    counts = (lost if lost > known_lost else 0, pairs), (0, 0)
    rules = _OF_PAIRS, (_FORWARDING | _OF_TENANTS) - _OF_PAIRS
    for among, count in zip(rules, counts, strict=True):
        texts = sorted(text for key, text in _broken(proof, among).items() if key not in known)
        if texts:
            yield LostPaths(when, number, texts, *count)


def _with_nics_in_use(project: Project, before: Side, after: Side) -> Fabric:
    """Return the fabric without the NICs that carry no traffic, leave, or change the tenant."""
    unused = idle_ports(project, before, after) | idle_ports(project, after, before)
    idle = outage_of_ports(project.fabric, unused | moved_ports(project, before, after))
    nics = project.fabric.nics
    return replace(project.fabric, nics=replace(nics, enabled=nics.enabled & ~idle.nics))


def _carries_traffic(project: Project, before: Side) -> bool:
    """Return whether some pair of NICs is connected, as far as that is known."""
    if before.routing.keys() != project.devices.keys():
        return True
    lost, pairs = _engine(project, before.routing, project.fabric).prove().nic_pairs()
    return lost < pairs


def _engine(project: Project, files: Mapping[str, Configured], fabric: Fabric) -> Engine:
    return Engine(fabric, project.devices, project.hosts, files)


def _broken(proof: Proof, rules: Collection[str] = _FORWARDING | _OF_TENANTS) -> dict[str, str]:
    """Return what is broken, by what stays the same from state to state: not the example."""
    texts = {}
    for item in proof.breaches:
        if item.rule not in rules:
            continue
        text = f"{item.device}: {item.message}"
        if item.rule in _FORWARDING:
            texts[text] = text
        else:
            texts.setdefault(item.message.partition(", such as")[0], text)
    return texts
