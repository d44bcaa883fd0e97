"""audit: running configurations, judged without an inventory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.audit.bgp import judge as judge_bgp
from fabric.audit.both import judge as judge_both
from fabric.audit.ends import disagreements, maps, swapped
from fabric.audit.fault import Fault
from fabric.audit.host_class import HOST
from fabric.audit.host_class import lossless as class_of_host
from fabric.audit.hosts import judge as judge_host
from fabric.audit.rules import AUDIT_RULES
from fabric.audit.switch import judge
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Position, Severity
from fabric.observe.configuration.lossless import lossless_readers, system_of
from fabric.observe.parsers import UnreadableError, parsers
from fabric.observe.saved.model import kind_of
from fabric.observe.saved.reading import saved_hosts
from fabric.validate.report import reports
from fabric.validate.reported import Reported
from fabric.validate.runner import Outcome, gathered
from fabric.workflow.check import check_sonic_files

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from fabric.audit.ends import Neighbours
    from fabric.observe.configuration.lossless import Lossless
    from fabric.observe.saved.model import SavedHost

__all__ = ["Audited", "audit", "report"]

#: Ends of files that a folder is searched for.
SUFFIXES = {
    ".cfg",
    ".conf",
    ".eos",
    ".nxos",
    ".set",
    ".nv",
    ".vrp8",
    ".comware7",
    ".esonic",
    ".json",
    ".txt",
    ".yaml",
}


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
    texts = {file: _text(file) for path in paths for file in files_of(path)}
    if not texts:
        raise _refused("there is no configuration file", str(paths[0]))
    systems = {file: system or _system(text) for file, text in texts.items()}
    unknown = [file for file, name in systems.items() if not name]
    for file in unknown:
        if file in paths or len(unknown) == len(texts):
            raise _refused("no system recognises this configuration", str(file))
    known = {file: name for file, name in systems.items() if name}
    hosts = saved_hosts({file: texts[file] for file, name in known.items() if name == HOST})
    configured = {file: name for file, name in known.items() if name != HOST}
    switches: dict[Path, Lossless] = {}
    findings = [_unknown(file) for file in unknown]
    for file, name in configured.items():
        switches[file] = _read(file, name, texts[file])
        faults = judge_bgp(name, texts[file])
        findings += [_finding(file, switches[file].name, fault) for fault in faults]
    findings += _judged(switches, hosts)
    findings += _judged_hosts(hosts, switches.values())
    kept = [finding for finding in findings if finding.rule not in ignore]
    checked = tuple(rule for rule in AUDIT_RULES if rule not in ignore)
    outcome = Outcome(tuple(gathered(kept)), checked, tuple(ignore), ())
    config_dbs = [file for file, name in known.items() if name == "sonic"]
    if config_dbs:
        outcome = outcome.merged(check_sonic_files(config_dbs).without(ignore))
    return Audited(outcome, {str(file): name for file, name in known.items()})


def _system(text: str) -> str:
    """Return the system that a text is of, ``host`` for an output of a host, empty if unclear."""
    return system_of(text) or (HOST if kind_of(text) else "")


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
        seen: Neighbours = reading[1](_text(output))
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise UnreadableError(str(error)) from error
    return seen


def _unknown(file: Path) -> Finding:
    message = "no system recognises this file; it was not audited"
    fix = "name the file and its system with --system, if it is a configuration"
    return Finding("AUD019", Severity.INFO, message, fix, "", Position(str(file)))


def report(audited: Audited, form: str, fail_on: Severity) -> str:
    """Return an audit in one of the report forms."""
    rules = tuple(AUDIT_RULES.values())
    first = next(iter(audited.systems))
    return reports()[form](Reported(audited.outcome, rules, fail_on, first))


def files_of(path: Path) -> list[Path]:
    """Return the file, or what may be a configuration or an output of a host in a folder."""
    if path.is_dir():
        return sorted(file for file in path.rglob("*") if file.suffix in SUFFIXES)
    return [path]


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise _refused((error.strerror or str(error)).lower(), str(file)) from error
    except UnicodeDecodeError as error:
        raise _refused(f"not text: {error}", str(file)) from error


def _read(file: Path, system: str, text: str) -> Lossless:
    if system not in lossless_readers:
        known = ", ".join((*lossless_readers, HOST))
        raise _refused(f"system {system!r} is not audited; known: {known}", str(file))
    try:
        return lossless_readers[system].read(text)
    except UnreadableError as error:
        raise _refused(str(error), str(file)) from error


def _refused(message: str, file: str) -> InputError:
    fix = f"name the system with --system: {', '.join((*lossless_readers, HOST))}"
    finding = Finding("AUD019", Severity.ERROR, message, fix, "", Position(file))
    return InputError("nothing was audited", [finding])


def _finding(file: Path, device: str, fault: Fault) -> Finding:
    rule = AUDIT_RULES[fault.rule]
    position = Position(str(file), fault.line)
    return Finding(
        fault.rule, rule.severity, fault.message, rule.fix, "", position, device, fault.port
    )
