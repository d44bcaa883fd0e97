"""prove: what the configuration files do, proved against the design of the inventory."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from fabric.core import hostlist
from fabric.core.counts import counted
from fabric.core.errors import InputError, ServiceError
from fabric.core.findings import Finding, Severity
from fabric.core.steps import steps
from fabric.defects.book import facts
from fabric.intent.documents import MAIN_FILE
from fabric.prove.batfish.change_gate import changed_routes
from fabric.prove.batfish.route_gate import next_hops
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
from fabric.topology.partition import cut_pairs
from fabric.validate.defects import designed_defects
from fabric.validate.report import report_in
from fabric.validate.reported import Reported
from fabric.validate.runner import Outcome, all_rules, gathered, worst_first
from fabric.validate.waivers import Decisions
from fabric.workflow.batfish import Side, judged
from fabric.workflow.check import with_ages
from fabric.workflow.configurations import files_before, read_files, running_files, texts_of
from fabric.workflow.proof_places import Places
from fabric.workflow.proved import Left, Proved

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from fabric.core.findings import Ignored
    from fabric.observe.configuration import Configured
    from fabric.prove.engine import Proof
    from fabric.topology.clos import Outage
    from fabric.workflow.configurations import Before, Readings
    from fabric.workflow.project import Project

    Engines = Literal["own", "batfish", "both"]
    Failures = list[tuple[str, Outage]]
    Progress = Callable[[str, str], None]

__all__ = ["Proved", "Request", "files_before", "prove", "report", "running_files"]


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
    against : Before, optional
        The files from before the change.
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
    against: Before | None = None
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
    _reject_empty("--snapshot", "or files laid out as there", project, request.folder)
    files, unread, unreadable = read_files(project, request.folder, known=known)
    old = None
    if request.against:
        old, others = _before(request.against, project)
        unreadable += others
    if unreadable:
        outcome = replace(_outcome(project, request, unreadable), checked=())
        reason = f"{counted(len(unreadable), 'file')} cannot be read"
        return Proved(outcome, failure=reason, idle=request.idle)
    now = Side(project, files, request.folder)
    failures = list(scenarios(project.fabric, request.kinds))
    breaches: list[Breach] = []
    own, worst, batfish, failure = None, None, None, ""
    if request.engine != "batfish":
        own, worst, found = _by_own(project, files, failures, progress)
        breaches += [*found, *unread]
        breaches += changed_routes(_next_hops(now), _next_hops(old)) if old else ()
    if request.engine != "own":
        try:
            batfish = judged(
                request.service, request.deadline_s, (now, old), failures, progress, say
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
        worst=worst,
        cables=int(project.fabric.uplinks.enabled.sum()) if "link" in request.kinds else 0,
        is_cut=bool(len(project.fabric.uplinks) and cut_pairs(project.fabric).any()),
        changed=_changed(project, request.against, breaches) if request.against else "",
    )


def _before(against: Before, project: Project) -> tuple[Side, list[Finding]]:
    """Return what the files from before a change say, and which cannot be read.

    Raises
    ------
    InputError
        When there are none of these switches.
    """
    inventory = against.project or project
    _reject_empty("--against", "or a git revision", inventory, against.folder)
    files, _, unreadable = read_files(inventory, against.folder, is_before=True)
    return Side(inventory, files, against.folder), unreadable


def _reject_empty(option: str, other: str, project: Project, folder: Path | None) -> None:
    if folder and not any(texts_of(project, name, folder) for name in project.devices):
        message = f"{option} {folder}: no configuration of these switches is there"
        fix = f"specify the output folder of `rocefab render`, {other}"
        finding = Finding("INT001", Severity.ERROR, message, fix)
        raise InputError("nothing was proved", [finding])


def _changed(project: Project, against: Before, breaches: Sequence[Breach]) -> str:
    """Return in a line what a change does to next hops, and what of them is not compared."""
    names = {item.device for item in breaches if item.rule == "BAT020"}
    unread = {item.device for item in breaches if item.rule == "BAT016" and not item.severity}
    words = f"--against: next hops change on {counted(len(names), 'switch', 'switches')}"
    words = words if names else "--against: no switch loses or gains a next hop"
    if unread:
        words += f"; not compared: {hostlist.in_short(sorted(unread))}, which no reader knows"
    if project.fabric.tenants is not None:
        words += "; BGP inside the VRFs of tenants is not compared"
    if against.project:
        return words
    return f"{words}; a folder has no cables: those of the inventory now count for both sides"


def _next_hops(side: Side) -> dict[str, dict[str, set[str]]]:
    """Return the next hops of all families by switch and prefix."""
    project = side.project
    hops: dict[str, dict[str, set[str]]] = defaultdict(dict)
    engine = Engine(project.fabric, project.devices, project.hosts, side.files)
    for network in engine.networks():
        for switch, of_switch in next_hops(network).items():
            hops[switch] |= of_switch
    return hops


def _by_own(
    project: Project,
    files: dict[str, Configured],
    failures: Failures,
    progress: Progress,
) -> tuple[Proof, Left | None, list[Breach]]:
    """Return what our own engine proves, and what the worst of the failures leaves."""
    engine = Engine(project.fabric, project.devices, project.hosts, files)
    progress("prove", "everything works")
    proof = engine.prove()
    breaches, worst = list(proof.breaches), None
    known = {breach[:5] for breach in breaches}
    cut = {breach.device for breach in breaches if breach.rule == "BAT013"}
    for words, outage in steps("failures", failures):
        hit = engine.prove_outage(outage)
        breaches += [
            breach._replace(rule="BAT015", message=f"after {words}: {breach.message}")
            for breach in hit.breaches
            if breach[:5] not in known and not (breach.rule == "BAT013" and breach.device in cut)
        ]
        lost, pairs = hit.nic_pairs()
        if worst is None or pairs - lost < worst.pairs:
            worst = Left(words, pairs - lost)
    return proof, worst, breaches


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
    figures: dict[str, Any] = {"proof": proved.own.figures()} if proved.own else {}
    if proved.worst:
        figures["worst_failure"] = proved.worst._asdict()
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
