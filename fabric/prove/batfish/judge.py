"""A fabric before Batfish: all gates, then the failures one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.prove.batfish import questions
from fabric.prove.batfish.bgp_gate import bgp_gate, established
from fabric.prove.batfish.change_gate import changed_flows, changed_routes
from fabric.prove.batfish.flow_gate import classes, flow_gate, pairs, path_gate, working
from fabric.prove.batfish.port_gate import port_gate
from fabric.prove.batfish.read_gate import read_gate
from fabric.prove.batfish.route_gate import (
    CONNECTED,
    batfish_routes,
    disagreements,
    next_hops,
    route_gate,
)
from fabric.prove.batfish.snapshot import snapshot
from fabric.prove.batfish.tenant_flows import aparts, not_asked
from fabric.prove.batfish.tenant_gate import isolation_gate, vrf_gate
from fabric.prove.breach import Breach
from fabric.prove.engine import Engine
from fabric.prove.vrfs import default_vrf
from fabric.prove.wiring import Network, Wiring

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from fabric.observe.configuration import Configured
    from fabric.prove.batfish.client import Service
    from fabric.prove.batfish.flow_gate import Class
    from fabric.prove.batfish.route_gate import Hops
    from fabric.prove.batfish.snapshot import Snapshot, Subject
    from fabric.topology.clos import Outage

_BASE, _BEFORE = "base", "before"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What Batfish says of a fabric.

    Parameters
    ----------
    sessions : int
        BGP sessions that come up, counted at each end.
    routes : int
        Next hops of all BGP routes of all switches.
    nics : int
        NICs with a cable.
    pairs : int
        Ordered pairs of NICs that the design promises.
    translated, stand_ins : tuple of str
        Switches whose text Batfish did not read: a reader of rocefab did, or no reader knows it.
    tenants : int
        Tenants with a NIC that works.
    not_asked : tuple of str
        What was not asked about them, with the reason.
    """

    breaches: tuple[Breach, ...]
    sessions: int
    routes: int
    nics: int
    pairs: int
    translated: tuple[str, ...]
    stand_ins: tuple[str, ...]
    tenants: int = 0
    not_asked: tuple[str, ...] = ()


def judge(
    subject: Subject,
    service: Service,
    failures: Sequence[tuple[str, Outage]] = (),
    progress: Callable[[str], None] = lambda _: None,
    *,
    before: Subject | None = None,
) -> Judgement:
    """Return what a service says of a fabric.

    Parameters
    ----------
    before : Subject, optional
        The same fabric with other files, which the files are compared with.

    Raises
    ------
    ServiceError
        When the proof did not take place.
    """
    written = snapshot(subject)
    service.upload(_BASE, written.archive())

    def ask(question: questions.Question) -> questions.Rows:
        return service.ask(question, _BASE)

    parts = classes(subject, written)
    breaches = [*_unread(subject, written)]
    progress("files, cables and ports")
    breaches += [*read_gate(subject, written, ask), *port_gate(subject, written, ask)]
    progress("BGP sessions")
    breaches += bgp_gate(subject, written, ask)
    progress("routes")
    designed = _default_routes(subject.designs, subject)
    routes = batfish_routes(written, designed, ask)
    breaches += route_gate(subject, routes, designed)
    breaches += disagreements(routes, _ours(subject))
    progress("NIC to NIC")
    breaches += [*flow_gate(written, parts, ask), *path_gate(written, parts, ask)]
    apart = list(aparts(subject, written, working(subject, written)))
    if apart:
        progress("tenants")
        breaches += [*vrf_gate(subject, ask), *isolation_gate(written, apart, ask)]
    if before:
        progress("files before the change")
        breaches += _changes(written, service, parts, before, routes)
    known = {breach[:5] for breach in breaches}
    for words, outage in failures:
        progress(words)
        found = _scenario(subject, written, service, outage)
        breaches += [
            breach._replace(rule="BAT015", message=f"after {words}: {breach.message}")
            for breach in found
            if breach[:5] not in known
        ]
    return Judgement(
        tuple(breaches),
        established(ask(questions.SESSIONS)),
        sum(len(hops - {CONNECTED}) for table in routes.values() for hops in table.values()),
        len(written.nics),
        pairs(parts),
        written.translated,
        written.stand_ins,
        sum(bool(part.tenant) for part in apart),
        not_asked(subject, written),
    )


def _changes(
    written: Snapshot,
    service: Service,
    parts: list[Class],
    before: Subject,
    routes: Mapping[str, Hops],
) -> Iterator[Breach]:
    """Yield what the files change of the routes and flows of other files."""
    service.upload(_BEFORE, snapshot(before).archive())
    old = batfish_routes(written, routes, lambda question: service.ask(question, _BEFORE))
    yield from changed_routes(routes, old)
    yield from changed_flows(written, parts, lambda question: service.ask(question, _BASE, _BEFORE))


def _unread(subject: Subject, written: Snapshot) -> Iterator[Breach]:
    """Yield the switches whose text Batfish did not read."""
    reason = ""
    if written.one_grammar:
        reason = "Batfish has no sessions over ports of some system here, or between systems: "
    for name in written.translated:
        message = f"{reason}the file was read by rocefab, and is in the form of SONiC for Batfish"
        yield Breach("BAT016", name, "", 0, message, Severity.INFO)
    for name in written.stand_ins:
        system = subject.devices[name].platform
        message = (
            f"no reader knows {system}; a stand-in from the design was proved, its file was not"
        )
        yield Breach("BAT016", name, "", 0, message)


def _ours(subject: Subject) -> dict[str, dict[str, set[str]]]:
    """Return the routes that our own engine makes of the files, where it has read all of them."""
    if subject.files.keys() != subject.devices.keys():
        return {}
    return _default_routes(subject.files, subject)


def _default_routes(
    files: Mapping[str, Configured], subject: Subject
) -> dict[str, dict[str, set[str]]]:
    """Return the routes of the default VRF that our own engine makes."""
    default = {name: default_vrf(configured) for name, configured in files.items()}
    return next_hops(Network(default, subject.wiring))


def _scenario(
    subject: Subject, written: Snapshot, service: Service, outage: Outage
) -> Iterator[Breach]:
    """Yield what an outage breaks that `whatif` does not say."""
    name = "outage"
    service.fork(name, _BASE, *_deactivated(subject, written, outage))

    def ask(question: questions.Question) -> questions.Rows:
        return service.ask(question, name)

    engine = Engine(
        subject.fabric, subject.devices, subject.hosts, {**subject.designs, **subject.files}
    )
    ours, theirs = engine.prove_outage(outage).sessions, established(ask(questions.SESSIONS))
    if ours != theirs:
        message = f"{theirs:,} ends of BGP sessions come up by Batfish, {ours:,} by our engine"
        yield Breach("BAT018", "", "", 0, message)
    parts = classes(subject, written, outage)
    yield from list(flow_gate(written, parts, ask))
    apart = aparts(subject, written, working(subject, written, outage))
    yield from list(isolation_gate(written, apart, ask))
    service.delete(name)


def _deactivated(
    subject: Subject, written: Snapshot, outage: Outage
) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the nodes and interfaces that are out of order in an outage."""
    left = Wiring.of(subject.fabric, outage)
    nodes = [name.lower() for name in sorted(left.down)]
    nodes += [
        node
        for node, nic in written.nics.items()
        if outage.hosts[int(subject.fabric.nics.host[nic.row])]
    ]
    cut = (subject.wiring.far.keys() - left.far.keys()) | (
        subject.wiring.nics.keys() - left.nics.keys()
    )
    ports = [(switch.lower(), port) for switch, port in sorted(cut) if switch not in left.down]
    return nodes, ports
