"""export rights: what an account must be allowed on each device, for reading and for changing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from fabric.change.adapter import adapters
from fabric.core.artefact import Artefact
from fabric.core.exports import About, Exported, Exporter, exporters, refused
from fabric.core.findings import Finding, Severity
from fabric.devices.device_lock import device_lock
from fabric.devices.driver import drivers, script_net
from fabric.devices.rights import Rights, roles
from fabric.devices.shell_driver import ShellDriver
from fabric.devices.sudo import PCI_ADDRESS, account_name, privileged, sudoers
from fabric.observe.host_session import read_counters, read_pci
from fabric.observe.parsers import parsers
from fabric.workflow.devices import Selection, targets
from fabric.workflow.nics import NicLooks, nic_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.change.planner import Target
    from fabric.workflow.project import Project

PARTS = ("reading", "changing")
_ABOUT = {
    "reading": "What plan, verify, drift and status run as root on {device}, and nothing else.",
    "changing": "What apply, rollback, confirm and probes run as root on {device}, besides what is "
    "read.\n# It is root in effect: a program here may be run with any words.",
}


@dataclass(frozen=True)
class Account:
    """An account on the devices of a project, and the role that it gets there.

    Raises
    ------
    InputError
        When it is not a plain name.
    """

    project: Project
    name: str

    def __post_init__(self) -> None:
        try:
            account_name(self.name)
        except ValueError as error:
            raise refused("PLC021", str(error), "use a-z, 0-9, _ and -") from error


def rights(account: Account, part: str) -> Exported:
    """Return the files that allow an account what rocefab does on each device.

    Parameters
    ----------
    part : str
        ``reading`` or ``changing``.
    """
    files, without = [], set()
    for name, target in targets(account.project, None, Selection()).items():
        platform = target.connection.platform
        allowed = of_device(account.project, target, account.name)
        if allowed is None:
            without.add(platform)
            continue
        path, text = f"{name}/{part}.{allowed.suffix}", str(getattr(allowed, part))
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


def _not_made(platform: str) -> Finding:
    message = f"no rights are made for {platform}: no source confirms how it takes them"
    fix = "use an account that may do everything there"
    return Finding("PLC022", Severity.WARNING, message, fix)


exporters.add("rights")(
    Exporter(
        {part: partial(rights, part=part) for part in PARTS},
        about=About.ACCOUNT,
        title="sudoers files and roles of the account on devices",
    )
)
