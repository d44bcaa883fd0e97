"""audit: running configurations, judged without an inventory."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fabric.audit.alike import unlike_most
from fabric.audit.both import judge as judge_both
from fabric.audit.defects import judge as judge_defects
from fabric.audit.ends import disagreements, maps, swapped
from fabric.audit.fault import Fault
from fabric.audit.host_class import lossless as class_of_host
from fabric.audit.hosts import judge as judge_host
from fabric.audit.pair_rules import PAIR_RULES
from fabric.audit.routing import judge as judge_routing
from fabric.audit.rules import AUDIT_RULES
from fabric.audit.switch import judge
from fabric.core.file_kinds import FileKind
from fabric.core.findings import Finding, Position, Severity
from fabric.core.steps import steps
from fabric.core.user_files import read_text
from fabric.defects.book import facts
from fabric.observe.configuration.lossless import lossless_readers
from fabric.observe.parsers import UnreadableError, parsers
from fabric.validate.report import report_in
from fabric.validate.reported import Reported
from fabric.validate.runner import Outcome, gathered
from fabric.workflow.audit_folders import (
    as_rendered,
    counts,
    for_hosts,
    not_read,
    systems_of_files,
    without_rendered,
)
from fabric.workflow.audit_pairs import Running, judged_pairs
from fabric.workflow.check import check_sonic_files, with_ages
from fabric.workflow.saved import read_saved, unknown_words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from fabric.audit.ends import Neighbours
    from fabric.core.findings import Ignored
    from fabric.observe.configuration.lossless import Lossless
    from fabric.observe.saved.model import SavedHost
    from fabric.workflow.saved import Saved

__all__ = ["Audited", "audit", "report"]

SONIC = "sonic"
#: End of the name of a file with what LLDP saw, next to a configuration.
LLDP = ".lldp"


@dataclass(frozen=True)
class Audited:
    """What an audit says, and of which switches.

    Parameters
    ----------
    outcome : Outcome
        Findings, and the rules that were looked at.
    systems : dict of str to str
        System of each file.
    switches, hosts : int
        How many of them there are.
    """

    outcome: Outcome
    systems: dict[str, str]
    switches: int
    hosts: int


def audit(
    paths: Sequence[Path], system: str = "", ignore: Sequence[str] = (), *, pairs: bool = False
) -> Audited:
    """Judge configuration files and outputs of hosts; those of one call are taken for one fabric.

    Parameters
    ----------
    paths : sequence of Path
        Files, or folders that hold some.
    system : str
        Switch system of all of them; empty: each is recognised by its lines.
    ignore : sequence of str
        Rules to skip.
    pairs : bool
        Whether NICs are compared with the ports that they are plugged into; NIC profiles may be
        among the files then.

    Raises
    ------
    InputError
        When a path is missing, a file cannot be read, or no system knows it.
    """
    saved = without_rendered(read_saved(paths, system, profiles=pairs), paths)
    hosts = saved.hosts
    findings = [*_unread(saved)]
    for file in steps("switches", [*saved.switches]):
        switch = saved.switches[file]
        faults = judge_routing(switch, saved.texts[file])
        findings += [_finding(file, switch.name, fault) for fault in faults]
        if switch.system != SONIC:  # `check_sonic_files` judges those
            findings += judge_defects(str(file), switch, saved.texts[file])
    findings += _judged(saved.switches, hosts)
    findings += _judged_hosts(hosts, saved.switches.values())
    rules = [*AUDIT_RULES, *facts()]
    if pairs:
        findings += judged_pairs(_running(saved), saved.profiles)
        rules += PAIR_RULES
    outcome = Outcome(tuple(gathered(findings)), tuple(rules), (), ()).without(ignore)
    config_dbs = [file for file, name in saved.systems.items() if name == SONIC]
    if config_dbs:
        outcome = outcome.merged(check_sonic_files(config_dbs).without(ignore))
    outcome = with_ages(outcome)
    outcome = replace(outcome, findings=tuple(map(as_rendered, outcome.findings)))
    systems = systems_of_files(saved)
    return Audited(outcome, systems, *counts(systems, saved))


def _running(saved: Saved) -> Running:
    """Return the switches by their names, and what LLDP saw; what cannot be read is AUD019."""
    fabric = {lossless.name or str(file): lossless for file, lossless in saved.switches.items()}
    files = {lossless.name or str(file): file for file, lossless in saved.switches.items()}
    seen = {}
    for name, file in files.items():
        with suppress(UnreadableError):
            seen[name] = _neighbours(file, fabric[name].system)
    return Running(fabric, files, seen, saved.hosts)


def _judged_hosts(hosts: Sequence[SavedHost], switches: Collection[Lossless]) -> Iterator[Finding]:
    """Yield what is wrong with each host, then with hosts against switches."""
    for host in hosts:
        for output, fault in judge_host(host):
            yield _finding(output.file, host.name, fault)
    for host, output, fault in judge_both(hosts, switches):
        yield _finding(output.file, host.name, fault)


def _judged(switches: Mapping[Path, Lossless], hosts: Sequence[SavedHost]) -> Iterator[Finding]:
    """Yield what is wrong with each switch, then with cables and maps between them.

    Parameters
    ----------
    hosts : sequence of SavedHost
        Far ends of cables.
    """
    files = {lossless.name or str(file): file for file, lossless in switches.items()}
    for file, lossless in switches.items():
        elsewhere = lossless_readers[lossless.system].judged
        for fault in judge(lossless):
            if fault.rule not in elsewhere:
                yield _finding(file, lossless.name, fault)
    fabric = {lossless.name or str(file): lossless for file, lossless in switches.items()}
    ends = {host.name: class_of_host(host) for host in hosts} | fabric
    seen: dict[str, Neighbours] = {}
    for file, lossless in switches.items():
        try:
            seen[lossless.name or str(file)] = _neighbours(file, lossless.system)
        except UnreadableError as error:
            message = f"what LLDP saw cannot be read: {error}"
            yield _finding(file.with_suffix(LLDP), lossless.name, Fault("AUD019", "", 0, message))
    others = (*swapped(fabric, seen), *maps(fabric), *unlike_most(fabric))
    for name, fault in (*disagreements(ends, seen), *others):
        yield _finding(files[name], name, fault)


def _neighbours(file: Path, system: str) -> Neighbours:
    """Return what LLDP saw on the ports of a switch, by the file next to its configuration.

    Raises
    ------
    UnreadableError
        When it is no such output of this system.
    """
    output = file.with_suffix(LLDP)
    reading = parsers[system].readings.get("lldp") if output.is_file() else None
    if reading is None:
        return {}
    try:
        seen: Neighbours = reading[1](read_text(output, FileKind.CONFIGURATION))
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise UnreadableError(str(error)) from error
    return seen


def _unread(saved: Saved) -> Iterator[Finding]:
    """Yield which files are not audited; those of `rocefab render` together."""
    written = for_hosts(saved.unknown)
    ours = {file for files in written.values() for file in files}
    yield from (_unknown(file, saved.texts[file]) for file in saved.unknown if file not in ours)
    yield from (not_read(manifest, files) for manifest, files in written.items())


def _unknown(file: Path, text: str) -> Finding:
    message = f"{unknown_words(text)}; it was not audited"
    fix = "name the file and its system with --system, if it is a configuration"
    return Finding("AUD019", Severity.INFO, message, fix, "", Position(str(file)))


def report(
    audited: Audited,
    form: str,
    fail_on: Severity,
    ignored: Ignored | None = None,
    *,
    full: bool = False,
) -> str:
    """Return an audit in one of the report forms; ``full`` lists like findings one by one."""
    pairs = [rule for name, rule in PAIR_RULES.items() if name in audited.outcome.checked]
    rules = (*AUDIT_RULES.values(), *pairs)
    first = next(iter(audited.systems))
    asked = Reported(
        audited.outcome, rules, fail_on, first, full=full, ignored=ignored, across_files=True
    )
    return report_in(form)(asked)


def _finding(file: Path, device: str, fault: Fault) -> Finding:
    rule = AUDIT_RULES[fault.rule]
    position = Position(str(file), fault.line)
    fix = fault.fix or rule.fix
    return Finding(fault.rule, rule.severity, fault.message, fix, "", position, device, fault.port)
