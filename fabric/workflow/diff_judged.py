"""What the rules of `check` and the proof of `prove` say of the two sides of a difference."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fabric.core.errors import FabricError, InputError
from fabric.core.findings import Finding, Severity
from fabric.prove.rules import PROOF_RULES
from fabric.report.diff.model import Judged, Place, ProofVerdict, RuleFinding
from fabric.validate.same_findings import JudgedSide, apart, devices_of, same_findings
from fabric.workflow.check import Handling, check
from fabric.workflow.prove import Request, prove
from fabric.workflow.work import same

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from fabric.workflow.configurations import Readings
    from fabric.workflow.diff_source import Source
    from fabric.workflow.prove import Proved
    from fabric.workflow.stages import Checked

    Progress = Callable[[str, str], None]

#: Switches of a fabric up to which the proof runs: it reads the files of all of them, twice.
MOST_SWITCHES = 200


def judged(before: Source, after: Source, progress: Progress) -> Judged:
    """Return what rules and proof say of both sides."""
    findings, waived, unchecked = [], [], []
    for source in (before, after):
        progress(source.shown, "rules")
        found, hidden, broken = _checked(source)
        findings.append(found)
        waived.append(_side(hidden, source))
        unchecked += broken
    known: Readings = {}
    proof_before, found = _proof(before, known, progress)
    findings[0] += found
    after.keep(before.kept(_equal(before, after)))
    proof_after, found = _proof(after, known, progress)
    findings[1] += found
    gone, new, grown, other = apart(_side(findings[0], before), _side(findings[1], after))
    return Judged(
        new=_rows(new),
        gone=_rows(gone),
        changed=_rows([*grown, *other]),
        unchecked=tuple(unchecked),
        proof_before=proof_before,
        proof_after=proof_after,
        waived=_rows(_new(*waived)),
    )


def judged_alone(
    source: Source, progress: Progress, reason: str = "there is no inventory"
) -> Judged:
    """Return what rules and proof say of an inventory that the other side does not have.

    Parameters
    ----------
    reason : str
        Why the other side is not proved.
    """
    progress(source.shown, "rules")
    findings, _, unchecked = _checked(source)
    proof, proved = _proof(source, {}, progress)
    absent = ProofVerdict("not run", reason=reason)
    return Judged(_rows([*findings, *proved]), (), (), tuple(unchecked), absent, proof)


def judged_repaired(source: Source, error: InputError, progress: Progress) -> Judged:
    """Return what rules and proof say of an inventory that was not valid before.

    Parameters
    ----------
    error : InputError
        What was wrong with it; all of that is gone. Whether a warning is new is not known.
    """
    alone = judged_alone(source, progress, "the inventory is not valid")
    errors = tuple(row for row in alone.new if row.severity == Severity.ERROR.word)
    gone = error.findings or [Finding("INT001", Severity.ERROR, str(error))]
    return replace(alone, new=errors, gone=_rows(gone))


def _checked(source: Source) -> tuple[list[Finding], list[Finding], list[str]]:
    """Return what the rules find, which errors are waived, and the rules that could not run.

    The files are left with the source.
    """

    def take(checked: dict[str, Checked]) -> None:
        source.keep({name: one.files for name, one in checked.items() if one.files})

    try:
        outcome = check(source.designs, files=Handling(same, same, take))
    except FabricError as error:
        return [], [], [f"{source.shown}: no rule could run: {error}"]
    broken = [f"{source.shown}: {rule} could not run: {why}" for rule, why in outcome.broken]
    hidden = [one.finding for one in outcome.waived if one.finding.severity >= Severity.ERROR]
    return [*outcome.findings], hidden, broken


def _equal(before: Source, after: Source) -> list[str]:
    """Return the switches whose design, and with it each file, is the same on both sides."""
    old, new = before.designs.devices, after.designs.devices
    return [name for name in old if name in new and old[name] == new[name]]


def _proof(
    source: Source, known: Readings, progress: Progress
) -> tuple[ProofVerdict, list[Finding]]:
    """Return what the proof says of one side, and its findings."""
    progress(source.shown, "proof")
    project = source.designs
    number = len(project.devices)
    if number > MOST_SWITCHES:
        reason = f"more than {MOST_SWITCHES:,} switches; `rocefab prove` proves each side"
        return ProofVerdict("not run", reason=reason), []
    try:
        vars(project)["switch_artefacts"] = source.files(project.devices)
        proved = prove(project, Request(), known=known)
    except FabricError as error:
        why = error.findings[0] if isinstance(error, InputError) and error.findings else error
        return ProofVerdict("not run", reason=str(why)), []
    found = [one for one in proved.outcome.findings if one.rule in PROOF_RULES]
    return _verdict(proved, found), found


def _verdict(proved: Proved, findings: Sequence[Finding]) -> ProofVerdict:
    if proved.failure or proved.own is None:
        return ProofVerdict("not run", len(findings), reason=proved.failure)
    bad = sum(finding.severity >= Severity.WARNING for finding in findings)
    lost, pairs = proved.own.nic_pairs()
    return ProofVerdict("findings" if bad else "proved", bad, pairs, lost)


def _side(findings: Sequence[Finding], source: Source) -> JudgedSide:
    return JudgedSide(tuple(findings), devices_of(source.designs.fabric), source.shown)


def _new(before: JudgedSide, after: JudgedSide) -> list[Finding]:
    """Return the findings of the second side that the first one does not have."""
    same = {id(finding) for _, finding in same_findings(before, after)}
    return [finding for finding in after.findings if id(finding) not in same]


def _rows(findings: Iterable[Finding]) -> tuple[RuleFinding, ...]:
    """Return findings as plain data, the worst first."""
    return tuple(
        RuleFinding(
            *(one.rule, one.severity.word, one.message, one.fix, one.field, one.device, one.port),
            Place(one.position.file, one.position.line) if one.position else None,
        )
        for one in sorted(
            findings, key=lambda one: (-one.severity, one.rule, one.device, one.port, one.message)
        )
    )
