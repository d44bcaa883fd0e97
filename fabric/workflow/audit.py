"""audit: running configurations, judged without an inventory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.audit.both import judge as judge_both
from fabric.audit.ends import disagreements, maps, swapped
from fabric.audit.fault import Fault
from fabric.audit.host_class import lossless as class_of_host
from fabric.audit.hosts import judge as judge_host
from fabric.audit.routing import judge as judge_routing
from fabric.audit.rules import AUDIT_RULES
from fabric.audit.switch import judge
from fabric.core.file_kinds import FileKind
from fabric.core.findings import Finding, Position, Severity
from fabric.core.user_files import read_text
from fabric.observe.configuration.lossless import lossless_readers
from fabric.observe.parsers import UnreadableError, parsers
from fabric.validate.report import reports
from fabric.validate.reported import Reported
from fabric.validate.runner import Outcome, gathered
from fabric.workflow.check import check_sonic_files
from fabric.workflow.saved import read_saved, unknown_words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from fabric.audit.ends import Neighbours
    from fabric.observe.configuration.lossless import Lossless
    from fabric.observe.saved.model import SavedHost

__all__ = ["Audited", "audit", "report"]

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
    """

    outcome: Outcome
    systems: dict[str, str]


def audit(paths: Sequence[Path], system: str = "", ignore: Sequence[str] = ()) -> Audited:
    """Judge configuration files and outputs of hosts; those of one call are taken for one fabric.

    Parameters
    ----------
    paths : sequence of Path
        Files, or folders that hold some.
    system : str
        Switch system of all of them; empty: each is recognised by its lines.
    ignore : sequence of str
        Rules to skip.

    Raises
    ------
    InputError
        When a path is missing, a file cannot be read, or no system knows it.
    """
    saved = read_saved(paths, system)
    hosts = saved.hosts
    findings = [_unknown(file, saved.texts[file]) for file in saved.unknown]
    for file, switch in saved.switches.items():
        faults = judge_routing(switch, saved.texts[file])
        findings += [_finding(file, switch.name, fault) for fault in faults]
    findings += _judged(saved.switches, hosts)
    findings += _judged_hosts(hosts, saved.switches.values())
    kept = [finding for finding in findings if finding.rule not in ignore]
    checked = tuple(rule for rule in AUDIT_RULES if rule not in ignore)
    outcome = Outcome(tuple(gathered(kept)), checked, tuple(ignore), ())
    config_dbs = [file for file, name in saved.systems.items() if name == "sonic"]
    if config_dbs:
        outcome = outcome.merged(check_sonic_files(config_dbs).without(ignore))
    return Audited(outcome, {str(file): name for file, name in saved.systems.items()})


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
    for name, fault in (*disagreements(ends, seen), *swapped(fabric, seen), *maps(fabric)):
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


def _unknown(file: Path, text: str) -> Finding:
    message = f"{unknown_words(text)}; it was not audited"
    fix = "name the file and its system with --system, if it is a configuration"
    return Finding("AUD019", Severity.INFO, message, fix, "", Position(str(file)))


def report(audited: Audited, form: str, fail_on: Severity) -> str:
    """Return an audit in one of the report forms."""
    rules = tuple(AUDIT_RULES.values())
    first = next(iter(audited.systems))
    return reports()[form](Reported(audited.outcome, rules, fail_on, first))


def _finding(file: Path, device: str, fault: Fault) -> Finding:
    rule = AUDIT_RULES[fault.rule]
    position = Position(str(file), fault.line)
    return Finding(
        fault.rule, rule.severity, fault.message, rule.fix, "", position, device, fault.port
    )
