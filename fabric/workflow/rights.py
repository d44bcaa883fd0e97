"""export rights: what an account must be allowed on each device, for reading and for changing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.change.adapter import adapters
from fabric.core.artefact import Artefact
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.devices.device_lock import device_lock
from fabric.devices.driver import drivers, script_net
from fabric.devices.rights import Rights, roles
from fabric.devices.shell_driver import ShellDriver
from fabric.devices.sudo import PCI_ADDRESS, account_name, privileged, sudoers
from fabric.observe.host_session import read_counters, read_pci
from fabric.observe.parsers import parsers
from fabric.placement.export import Exported
from fabric.workflow.devices import Selection, targets
from fabric.workflow.nics import NicLooks, nic_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.change.planner import Target
    from fabric.workflow.project import Project

FORM = "rights"
PARTS = ("reading", "changing")
_ABOUT = {
    "reading": "What plan, verify, drift and status run as root on {device}, and nothing else.",
    "changing": "What apply, rollback, confirm and probes run as root on {device}, besides what is "
    "read.\n# It is root in effect: a program here may be run with any words.",
}


def rights(project: Project, account: str, parts: Sequence[str] = ()) -> Exported:
    """Return the files that allow an account what rocefab does on each device.

    Parameters
    ----------
    account : str
        Name of the account, and of the role that it gets.
    parts : sequence of str
        ``reading``, ``changing``; empty is both.

    Raises
    ------
    InputError
        When the account is not a plain name, or there is no such part.
    """
    _check(account, parts)
    files, without = [], set()
    for name, target in targets(project, None, Selection()).items():
        platform = target.connection.platform
        found = of_device(project, target, account)
        if found is None:
            without.add(platform)
            continue
        for part in parts or PARTS:
            path = f"{name}/{part}.{found.suffix}"
            text: str = getattr(found, part)
            files.append(Artefact(name, platform, f"{part}-rights", path, text.encode()))
    return Exported(tuple(files), tuple(_not_made(platform) for platform in sorted(without)))


def of_device(project: Project, target: Target, account: str) -> Rights | None:
    """Return what an account must be allowed on a device; None where no source says how."""
    platform = target.connection.platform
    if platform in roles:
        return roles[platform](account)
    driver = drivers[platform](target.connection)
    if not isinstance(driver, ShellDriver):
        return None
    name = target.connection.device
    commands = {
        "reading": [one for line in _lines(project, target) for one in privileged(line)],
        "changing": driver.changing,
    }
    texts = {
        part: "\n".join([
            f"# {_ABOUT[part].format(device=name)}",
            *sudoers(account, commands[part], driver.places, any_words=part == "changing"),
            "",
        ])
        for part in PARTS
    }
    return Rights(**texts, suffix="sudoers")


def _lines(project: Project, target: Target) -> Iterator[str]:
    """Yield each line that reads a device: the driver is asked for all, and reaches nothing."""
    name, platform = target.connection.device, target.connection.platform
    driver: Any = drivers[platform](target.connection)
    shell = driver.rehearse()
    adapter = adapters[platform]
    driver.identify()
    driver.read_running(adapter.files(target.artefacts))
    driver.read_state([*adapter.subjects(target.artefacts), *parsers[platform].readings])
    driver.foreign_sessions()
    if lock := device_lock(driver):
        lock.claimed()
    if net := script_net(driver):
        net.folders()
    if platform == "host":
        host = project.hosts[name]
        NicLooks(project, hardware=True).read(driver, name)
        read_counters(driver, nic_names(host))
        read_pci(driver, [PCI_ADDRESS])
    yield from shell.lines


def _check(account: str, parts: Sequence[str]) -> None:
    unknown = [part for part in parts if part not in PARTS]
    if unknown:
        message = f"unknown part {unknown[0][:40]!a}; available: {', '.join(PARTS)}"
        finding = Finding("PLC008", Severity.ERROR, message, "select one of them with --what")
        raise InputError("the export cannot be written", [finding])
    try:
        account_name(account)
    except ValueError as error:
        finding = Finding("PLC021", Severity.ERROR, str(error), "use a-z, 0-9, _ and -")
        raise InputError("the export cannot be written", [finding]) from error


def _not_made(platform: str) -> Finding:
    message = f"no rights are made for {platform}: no source confirms how it takes them"
    fix = "use an account that may do everything there"
    return Finding("PLC022", Severity.WARNING, message, fix)
