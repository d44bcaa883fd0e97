"""prove: what the configuration files do, proved against the design of the inventory."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from fabric.core.counts import counted, noun
from fabric.core.errors import InputError, ServiceError
from fabric.core.findings import Finding, Severity
from fabric.core.steps import steps
from fabric.defects.book import facts
from fabric.intent.documents import MAIN_FILE
from fabric.prove.batfish.change_gate import changed_routes
from fabric.prove.batfish.route_gate import Routes
from fabric.prove.batfish.unread import unread_lines
from fabric.prove.breach import Breach
from fabric.prove.engine import Engine
from fabric.prove.rules import (
    BATFISH_ONLY,
    CHANGE_ONLY,
    FAILURE_ONLY,
    OWN_ONLY,
    PROOF_RULES,
)
from fabric.prove.scenarios import scenarios
from fabric.prove.wiring import Wiring
from fabric.topology.partition import cut_pairs
from fabric.validate.defects import designed_defects
from fabric.validate.report import report_in
from fabric.validate.reported import Reported
from fabric.validate.runner import Outcome, all_rules, gathered, worst_first
from fabric.validate.waivers import Decisions
from fabric.workflow.batfish import Side, judged
from fabric.workflow.check import with_ages
from fabric.workflow.configurations import files_before, read_files, running_files
from fabric.workflow.proof_places import Places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from fabric.core.findings import Ignored
    from fabric.observe.configuration import Configured
    from fabric.prove.batfish.judge import Judgement
    from fabric.prove.engine import Proof
    from fabric.prove.isolation import TenantCounts
    from fabric.topology.clos import Outage
    from fabric.workflow.configurations import Readings
    from fabric.workflow.project import Project

    Engines = Literal["own", "batfish", "both"]
    Failures = list[tuple[str, Outage]]
    Progress = Callable[[str, str], None]

__all__ = ["Proved", "Request", "files_before", "prove", "report", "running_files"]

#: What no engine proves.
NOT_PROVED = (
    "PFC, ECN, buffers and scheduling (`rocefab check` judges them)",
    "addresses of hosts, speed, FEC, lanes and breakouts of ports (they are not read)",
    "the MTU of whole paths, hashing, BFD, ARP and MAC ageing",
    "source routing on hosts, and their failover between two leaves",
)

#: What no engine proves of tenants.
NOT_OF_TENANTS = (
    "QoS of the tunnel (`rocefab check` judges it), routes that hosts have of their tenant"
)

#: What Batfish is not asked about tenants.
NOT_OF_TENANTS_BY_BATFISH = (
    "services, management, VNIs, route targets and route distinguishers of tenants (`--engine own` "
    "proves them)"
)

#: What has to be said as long as no real Batfish was asked about tenants.
UNCONFIRMED = (
    "unconfirmed: the questions about tenants were not tried against a Batfish of any release yet"
)

#: What Batfish 0.36 does not model, and our own engine does.
NOT_BY_BATFISH = "`maximum-paths` and the import check of FRR (`--engine both` proves them)"

#: Why pairs of NICs without a path in the design are no findings.
_SEPARATE = ", which keeps planes, rails or units apart: that fails nothing"
_CUT = ": the files are as designed, and `rocefab check` reports the design (TOP026)"


@dataclass(frozen=True)
class Request:
    """What is to be proved, and by whom.

    Parameters
    ----------
    folder : Path, optional
        Output folder of ``render``, or one like it, whose files are read; default: what is
        rendered now.
    kinds : tuple of str
        Kinds of failures to try: ``spine``, ``link``, ``leaf``.
    ignore : tuple of str
        Rules to skip.
    against : Path, optional
        Such a folder with the files from before the change.
    engine : str
        ``own``, ``batfish`` or ``both``.
    service : str
        ``HOST`` or ``HOST:PORT`` of Batfish.
    deadline_s : float
        Seconds after which a proof by Batfish is given up.
    without_batfish : str
        Why Batfish is not asked although it was named; ``engine`` is ``own`` then.
    """

    folder: Path | None = None
    against: Path | None = None
    kinds: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    engine: Engines = "own"
    service: str = ""
    deadline_s: float = 3600.0
    without_batfish: str = ""

    @property
    def rules(self) -> tuple[str, ...]:
        """Rules that the engines look at, and known defects of the switches."""
        return tuple(rule for rule in (*PROOF_RULES, *facts()) if rule not in self.idle)

    @property
    def idle(self) -> dict[str, str]:
        """Rules that nothing is looked at by, with the reason."""
        unnamed = f"not asked for: --engine is {self.engine}"
        absent = {"own": BATFISH_ONLY, "batfish": OWN_ONLY, "both": ()}[self.engine]
        return {
            **dict.fromkeys(absent, self.without_batfish or unnamed),
            **({} if self.against else dict.fromkeys(CHANGE_ONLY, "not asked for: no --against")),
            **({} if self.kinds else dict.fromkeys(FAILURE_ONLY, "not asked for: no --scenario")),
            **dict.fromkeys(self.ignore, "ignored"),
        }


@dataclass(frozen=True)
class Proved:
    """What a proof says.

    Parameters
    ----------
    outcome : Outcome
        Findings, and the rules that were looked at.
    own : Proof or None
        Counts of our own engine; None where it was not asked.
    batfish : Judgement or None
        Counts of Batfish; None where it was not asked, or did not answer.
    scenarios : int
        Failures that were tried as well.
    failure : str
        Why the proof did not take place; empty where it did.
    idle : dict, optional
        Rules that nothing was looked at by, with the reason.
    unread : tuple of str
        Switches whose tenants Batfish does not read, so that it was not asked: a line for each
        reason.
    is_cut : bool
        Whether the design joins leaves by cables that have no route to each other.
    """

    outcome: Outcome
    own: Proof | None = None
    batfish: Judgement | None = None
    scenarios: int = 0
    failure: str = ""
    idle: dict[str, str] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    is_cut: bool = False

    def summary(self) -> list[str]:
        """Return what was proved, and what was not."""
        if self.failure:
            return [f"nothing is proved: {self.failure}"]
        return [
            *(_own_summary(self.own, is_cut=self.is_cut) if self.own else ()),
            *(_batfish_summary(self.batfish) if self.batfish else ()),
            *self.unread,
            *([f"{counted(self.scenarios, 'failure')} tried"] if self.scenarios else []),
            *(f"not proved: {part}" for part in NOT_PROVED),
            *([f"not proved: {NOT_OF_TENANTS}"] if self._has_tenants else []),
            *([f"not proved: {NOT_BY_BATFISH}"] if not self.own else []),
            *(
                [f"not proved: {NOT_OF_TENANTS_BY_BATFISH}"]
                if self._has_tenants and not self.own
                else []
            ),
        ]

    @property
    def _has_tenants(self) -> bool:
        return bool((self.own and self.own.tenants) or (self.batfish and self.batfish.tenants))


def _own_summary(proof: Proof, *, is_cut: bool) -> Iterator[str]:
    works = proof.pairs - proof.lost_pairs
    family = " by IPv6" if proof.is_ipv6 else " by IPv4" if proof.other else ""
    whose = " without a tenant" if proof.tenants else ""
    words = f"pairs of NICs{whose} that the design connects reach each other{family}"
    if proof.pairs or not proof.tenants:
        yield f"{works:,} of {proof.pairs:,} {words} over every path"
    if more := proof.unplanned_pairs:
        have = noun(more, "has", "have")
        why = _CUT if is_cut else _SEPARATE
        yield f"{counted(more, 'other pair')} of NICs{whose} {have} no path in the design{why}"
    yield from _tenant_summary(proof.tenants) if proof.tenants else ()
    yield _sessions_up(proof.sessions, proof.routes)
    yield from _own_summary(proof.other, is_cut=is_cut) if proof.other else ()


def _sessions_up(sessions: int, routes: int) -> str:
    up = counted(sessions, "end of a BGP session comes up", "ends of BGP sessions come up")
    return f"{up}, {counted(routes, 'next hop')}"


def _tenant_summary(counts: TenantCounts) -> Iterator[str]:
    apart = counts.pairs - counts.leaking_pairs
    works = counts.nic_pairs - counts.lost_nic_pairs
    yield (
        f"{counted(counts.tenants, 'tenant')}: {apart:,} of {counted(counts.pairs, 'pair')} of "
        f"them {noun(apart, 'is', 'are')} isolated"
    )
    yield (
        f"{works:,} of {counted(counts.nic_pairs, 'pair')} of NICs inside tenants and their "
        "services are connected over every path"
    )
    inside = counts.tenants - counts.exposed
    yield (
        f"{inside:,} of {counted(counts.tenants, 'tenant')} {noun(inside, 'reaches', 'reach')} no "
        "loopback, tunnel end point or management"
    )


def _batfish_summary(judgement: Judgement) -> Iterator[str]:
    yield (
        f"Batfish: {counted(judgement.pairs, 'pair')} of {counted(judgement.nics, 'NIC')} that the "
        "design connects were asked for, over every path"
    )
    yield f"Batfish: {_sessions_up(judgement.sessions, judgement.routes)}"
    if judgement.tenants:
        yield (
            f"Batfish: {counted(judgement.tenants, 'tenant was', 'tenants were')} asked for, each "
            "about NICs of all others, loopbacks and tunnel end points"
        )
        yield UNCONFIRMED
    yield from (f"not asked of Batfish: {words}" for words in judgement.not_asked)
    for words, names in (
        ("read by rocefab and not by Batfish", judgement.translated),
        ("not read at all, with a stand-in from the design", judgement.stand_ins),
    ):
        if names:
            yield f"{words}: {', '.join(names)}"


def prove(
    project: Project,
    request: Request,
    *,
    progress: Progress = lambda _, __: None,
    say: Callable[[str], None] = lambda _: None,
    known: Readings | None = None,
) -> Proved:
    """Read the files of all switches back and prove what they do.

    Parameters
    ----------
    progress : callable
        Told what is going on, where somebody watches.
    say : callable
        Told beforehand what the proof takes.
    known : dict, optional
        What files say that were read before; see `read_files`.

    Raises
    ------
    InputError
        When the request is wrong.
    """
    _reject_unknown(project, request)
    _reject_ipv6(project, request)
    unread_tenants = tuple(_unread_tenants(project, request))
    if unread_tenants:
        reason = "Batfish does not read the tenants of this fabric"
        request = replace(request, engine="own", without_batfish=reason)
    progress("prove", "reading the files")
    files, unread, unreadable = read_files(project, request.folder, known=known)
    before: dict[str, Configured] = {}
    if request.against:
        before, _, others = read_files(project, request.against, is_before=True)
        unreadable += others
        if not before and not others:
            message = f"--against {request.against}: no configuration of these switches is there"
            fix = "specify the output folder of `rocefab render`, or a git revision"
            finding = Finding("INT001", Severity.ERROR, message, fix)
            raise InputError("nothing was proved", [finding])
    if unreadable:
        outcome = replace(_outcome(project, request, unreadable), checked=())
        reason = f"{counted(len(unreadable), 'file')} cannot be read"
        return Proved(outcome, failure=reason, idle=request.idle)
    failures = list(scenarios(project.fabric, request.kinds))
    breaches: list[Breach] = []
    own, batfish, failure = None, None, ""
    if request.engine != "batfish":
        own, found = _by_own(project, files, failures, progress)
        breaches += [*found, *unread]
        wiring = Wiring.of(project.fabric)
        old = Routes(before, wiring).by_switch if before else {}
        breaches += changed_routes(Routes(files, wiring).by_switch, old) if old else ()
    if request.engine != "own":
        old_side = Side(before, request.against) if request.against else None
        sides = Side(files, request.folder), old_side
        try:
            batfish = judged(
                project, request.service, request.deadline_s, sides, failures, progress, say
            )
            breaches += batfish.breaches
        except ServiceError as error:
            failure = str(error)
            breaches.append(Breach("BAT017", "", "", 0, failure))
    places = Places(project, files, request.folder)
    findings = [places.finding(item) for item in dict.fromkeys(breaches)]
    outcome = _outcome(project, request, [*findings, *_defects(project)])
    outcome = with_ages(outcome, {fact.id: fact for fact in project.intent.defects})
    if failure:
        by_own = replace(request, engine="own").rules if own else ()
        outcome = replace(outcome, checked=by_own)
    return Proved(
        outcome,
        own,
        batfish,
        len(failures),
        failure,
        request.idle,
        unread_tenants,
        is_cut=bool(len(project.fabric.uplinks) and cut_pairs(project.fabric).any()),
    )


def _by_own(
    project: Project,
    files: dict[str, Configured],
    failures: Failures,
    progress: Progress,
) -> tuple[Proof, list[Breach]]:
    """Return what our own engine proves."""
    engine = Engine(project.fabric, project.devices, project.hosts, files)
    progress("prove", "everything works")
    proof = engine.prove()
    breaches = list(proof.breaches)
    known = {breach[:5] for breach in breaches}
    for words, outage in steps("failures", failures):
        breaches += [
            breach._replace(rule="BAT015", message=f"after {words}: {breach.message}")
            for breach in engine.prove_outage(outage).breaches
            if breach[:5] not in known
        ]
    return proof, breaches


def _defects(project: Project) -> Iterator[Finding]:
    """Yield the known defects that strike the switches as they are designed."""
    known = (*facts().values(), *project.intent.defects)
    for device in project.devices.values():
        yield from designed_defects(project.model, device, known)


def _outcome(project: Project, request: Request, findings: list[Finding]) -> Outcome:
    ignored = tuple(finding for finding in findings if finding.rule in request.ignore)
    kept, waived = Decisions.of(project.intent).apply([
        finding for finding in findings if finding.rule not in request.ignore
    ])
    defects = gathered([finding for finding in kept if finding.rule not in PROOF_RULES])
    proofs = [finding for finding in kept if finding.rule in PROOF_RULES]
    skipped = tuple(sorted(request.idle))
    return Outcome(
        tuple(worst_first([*proofs, *defects])),
        request.rules,
        skipped,
        (),
        tuple(waived),
        ignored=ignored,
    )


def report(
    proved: Proved,
    form: str,
    inventory: Path,
    fail_on: Severity,
    *,
    full: bool = False,
    ignored: Ignored | None = None,
) -> str:
    """Return what was proved in one of the report forms; ``full`` lists like findings too."""
    file = str(inventory / MAIN_FILE)
    rules = (*PROOF_RULES.values(), *(rule for rule in all_rules() if rule.id in facts()))
    notes = tuple(proved.summary())
    figures = {"proof": proved.own.figures()} if proved.own else {}
    outcome, idle = proved.outcome, proved.idle
    return report_in(form)(
        Reported(
            *(outcome, rules, fail_on, file, "prove", idle, notes, full, ignored), figures=figures
        )
    )


def _reject_ipv6(project: Project, request: Request) -> None:
    if request.engine != "own" and project.intent.fabric.addressing.ipv6:
        message = f"Batfish has no IPv6, so that --engine {request.engine} proves nothing of it"
        place = project.intent.position("addressing", "ipv6")
        fix, field = "use --engine own, which proves both families", "fabric.addressing.ipv6"
        finding = Finding("INT001", Severity.ERROR, message, fix, field, place)
        raise InputError("nothing was proved", [finding])


def _unread_tenants(project: Project, request: Request) -> list[str]:
    """Return the switches whose tenants Batfish does not read, in words, where it is to be asked.

    Raises
    ------
    InputError
        When it alone is to be asked.
    """
    lines = unread_lines(project.devices) if request.engine != "own" else []
    if lines and request.engine == "batfish":
        place = project.intent.position("tenancy")
        fix = "use --engine own, which proves the tenants of every system"
        findings = [
            Finding("INT001", Severity.ERROR, line, fix, "fabric.tenancy", place) for line in lines
        ]
        raise InputError("nothing was proved", findings)
    return lines


def _reject_unknown(project: Project, request: Request) -> None:
    known = {*PROOF_RULES, *facts(), *(fact.id for fact in project.intent.defects)}
    unknown = [name for name in request.ignore if name not in known]
    if unknown:
        message = f"cannot ignore rule {unknown[0]!r}: `prove` has no such rule"
        fix = f"use one of {', '.join(PROOF_RULES)}, or a known defect"
        raise InputError("nothing was proved", [Finding("INT022", Severity.ERROR, message, fix)])
    if request.engine != "own" and not request.service:
        message = f"--engine {request.engine} needs a service: --batfish HOST[:PORT]"
        raise InputError(message)
