"""prove: what the configuration files do, proved against the design of the inventory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.intent.documents import MAIN_FILE
from fabric.observe.configuration import readers
from fabric.observe.parsers import UnreadableError
from fabric.prove.breach import Breach
from fabric.prove.engine import Engine
from fabric.prove.rules import PROOF_RULES
from fabric.prove.scenarios import scenarios
from fabric.validate.report import reports
from fabric.validate.reported import Reported
from fabric.validate.runner import Outcome, gathered
from fabric.validate.waivers import Decisions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from fabric.observe.configuration import Configured
    from fabric.prove.engine import Proof
    from fabric.validate.world import Place
    from fabric.workflow.project import Project

    Progress = Callable[[str, str], None]

__all__ = ["Proved", "prove", "report"]

#: What no engine proves.
NOT_PROVED = (
    "PFC, ECN, buffers and scheduling (`rocefab check` judges them)",
    "the MTU of whole paths, hashing, BFD, ARP and MAC ageing",
    "source routing on hosts",
)

_BGP_RULES = ("BAT003", "BAT004", "BAT010", "BAT011", "BAT012", "BAT013")


@dataclass(frozen=True)
class Proved:
    """What a proof says.

    Parameters
    ----------
    outcome : Outcome
        Findings, and the rules that were looked at.
    proof : Proof
        Counts of the fabric with everything working.
    scenarios : int
        Failures that were tried as well.
    """

    outcome: Outcome
    proof: Proof
    scenarios: int

    def summary(self) -> list[str]:
        """Return what was proved, and what was not."""
        proof = self.proof
        works = proof.pairs - proof.lost_pairs
        return [
            f"{works:,} of {proof.pairs:,} promised pairs of NICs are connected over every path",
            f"{proof.sessions:,} ends of BGP sessions come up, {proof.routes:,} next hops",
            *([f"{self.scenarios:,} failures tried"] if self.scenarios else []),
            *(f"not proved: {part}" for part in NOT_PROVED),
        ]


def prove(
    project: Project,
    *,
    folder: Path | None = None,
    kinds: Sequence[str] = (),
    ignore: Sequence[str] = (),
    progress: Progress = lambda _, __: None,
) -> Proved:
    """Read the files of all switches back and prove what they do.

    Parameters
    ----------
    folder : Path, optional
        Output folder of ``render``, or one like it, whose files are read; default: what is
        rendered now.
    kinds : sequence of str
        Kinds of failures to try: ``spine``, ``link``, ``leaf``.
    ignore : sequence of str
        Rules to skip.

    Raises
    ------
    InputError
        When a file is missing or cannot be read.
    """
    _reject_unknown(ignore)
    files, unread = _read(project, folder, progress)
    engine = Engine(project.fabric, project.devices, project.hosts, files)
    progress("prove", "everything works")
    proof = engine.prove()
    breaches = [*proof.breaches, *unread]
    failures = list(scenarios(project.fabric, kinds))
    known = {breach[:5] for breach in breaches}
    for words, outage in failures:
        progress("prove", words)
        breaches += [
            breach._replace(rule="BAT015", message=f"after {words}: {breach.message}")
            for breach in engine.prove_outage(outage).breaches
            if breach[:5] not in known
        ]
    places = _Places(project, files)
    findings = [places.finding(breach) for breach in breaches if breach.rule not in ignore]
    checked = tuple(rule for rule in PROOF_RULES if rule not in ignore)
    kept, waived = Decisions.of(project.intent).apply(findings)
    outcome = Outcome(tuple(gathered(kept)), checked, tuple(ignore), (), tuple(waived))
    return Proved(outcome, proof, len(failures))


def report(proved: Proved, form: str, inventory: Path, fail_on: Severity) -> str:
    """Return what was proved in one of the report forms."""
    file = str(inventory / MAIN_FILE)
    return reports()[form](Reported(proved.outcome, tuple(PROOF_RULES.values()), fail_on, file))


def _reject_unknown(ignore: Sequence[str]) -> None:
    unknown = [name for name in ignore if name not in PROOF_RULES]
    if unknown:
        message = f"cannot ignore rule {unknown[0]!r}: `prove` has no such rule"
        fix = f"use one of {', '.join(PROOF_RULES)}"
        raise InputError("nothing was proved", [Finding("INT022", Severity.ERROR, message, fix)])


def _read(
    project: Project, folder: Path | None, progress: Progress
) -> tuple[dict[str, Configured], list[Breach]]:
    """Return what the file of each switch says, and the switches that nobody can read.

    Raises
    ------
    InputError
        With a finding for each file that is missing or is no configuration.
    """
    progress("prove", "reading the files")
    files: dict[str, Configured] = {}
    unread, findings = [], []
    for name, design in project.devices.items():
        if design.platform not in readers:
            message = f"no reader knows {design.platform}; its file is not proved"
            unread.append(Breach("BAT016", name, "", 0, message))
            continue
        try:
            files[name] = readers[design.platform](_texts(project, name, folder))
        except (OSError, UnreadableError, UnicodeDecodeError, KeyError) as error:
            missing = isinstance(error, KeyError)
            reason = f"there is no {error.args[0]} file" if missing else str(error)
            message = f"the configuration cannot be read: {reason}"
            fix = "write the folder with `rocefab render`, or lay the files out in the same way"
            findings.append(Finding("BAT001", Severity.ERROR, message, fix, device=name))
    if findings:
        raise InputError(f"{len(findings)} files cannot be read; nothing was proved", findings)
    return files, unread


def _texts(project: Project, name: str, folder: Path | None) -> dict[str, str]:
    """Return the files of a switch by kind: as rendered, or from the same path in a folder."""
    artefacts = project.switch_artefacts[name]
    if folder is None:
        return {item.kind: item.text for item in artefacts}
    return {
        item.kind: (folder / item.path).read_text(encoding="utf-8")
        for item in artefacts
        if (folder / item.path).exists()
    }


class _Places:
    """Finds the inventory value that a breach comes from."""

    def __init__(self, project: Project, files: dict[str, Configured]) -> None:
        self._project = project
        self._kinds = {name: configured.file for name, configured in files.items()}

    def finding(self, breach: Breach) -> Finding:
        """Return a breach as a finding, with the line of the file and of the inventory."""
        rule = PROOF_RULES[breach.rule]
        where = self._file(breach)
        place = self._place(breach)
        return rule.finding(
            f"{where}{breach.message}",
            rule.fix,
            place=place,
            device=breach.device,
            port=breach.port,
            severity=breach.severity,
        )

    def _file(self, breach: Breach) -> str:
        """Return file and line of the configuration, where a line is to blame."""
        if not breach.line:
            return ""
        kind = self._kinds[breach.device]
        artefacts = self._project.switch_artefacts[breach.device]
        path = next(item.path for item in artefacts if item.kind == kind)
        return f"{path}:{breach.line}: "

    def _place(self, breach: Breach) -> Place:
        model = self._project.model
        if breach.rule == "BAT009":
            return model.policy_place("mtu_bytes", breach.device, breach.port)
        if breach.rule in _BGP_RULES:
            return model.place("bgp")
        row = self._project.fabric.switch_row.get(breach.device)
        unit = int(self._project.fabric.switches.unit[row]) if row is not None else -1
        return model.place("units", unit) if unit >= 0 else model.place("spines")
