"""first-contact: keys of devices are taken over, for those whose serial answers."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, replace
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING

from fabric.boot.devices import BMC, managed
from fabric.boot.log import State
from fabric.change.planner import check_identity, open_driver
from fabric.core.errors import DeviceError, InputError
from fabric.core.file_kinds import FileKind
from fabric.core.files import write_whole
from fabric.core.findings import Finding, Severity
from fabric.core.user_files import read_text
from fabric.devices.connections import connections, plain_content
from fabric.devices.shown_keys import shown_key
from fabric.platforms import platforms
from fabric.workflow.devices import executor

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from fabric.boot.log import BootLog
    from fabric.boot.model import Device
    from fabric.core.errors import FabricError
    from fabric.devices.driver import Connection
    from fabric.workflow.project import Project

#: Seconds for the login and the questions who a device is; our choice, as for its configuration.
_WITHIN_S = 60.0
#: Seconds between two attempts; our choice: a switch takes minutes to start.
_PAUSE_S = 10.0
#: HTTPS (RFC 9110 section 4.2.2); systems with another usual port are reached by SSH.
_HTTPS = 443
#: The file holds keys, and says where devices are.
_MODE = 0o600


@dataclass
class Contacts:
    """A connections file, which gets the keys of devices one by one.

    Parameters
    ----------
    path : Path
        The file; it is made where it is not there.
    username : str
        Account for a file that is made.
    log : BootLog
        Gets a record of each device.
    """

    path: Path
    username: str
    log: BootLog

    def __post_init__(self) -> None:
        self._lock = Lock()
        is_there = self.path.exists()
        self._before = read_text(self.path, FileKind.CONNECTIONS) if is_there else "{}"
        self._content = plain_content(self.path) if is_there else {}
        self._content.setdefault("username", self.username)

    def add(self, device: Device, trust: str) -> None:
        """Write the address and the key of a device.

        Raises
        ------
        InputError
            When somebody else changed the file meanwhile.
        """
        with self._lock:
            entry = self._content.setdefault("devices", {}).setdefault(device.name, {})
            entry.setdefault("address", device.address)
            entry["trust"] = trust
            now = read_text(self.path, FileKind.CONNECTIONS) if self.path.exists() else "{}"
            if now != self._before:
                raise InputError(f"{self.path}: changed while this ran; run it again")
            self._before = json.dumps(self._content, indent=2) + "\n"
            write_whole(self.path, self._before.encode(), _MODE)
            self.log.add(device.name, State.REACHABLE, address=device.address)


def first_contact(
    project: Project,
    contacts: Contacts,
    names: frozenset[str],
    window_s: float,
    progress: Callable[[str, str], None],
    *,
    parallel: int = 0,
) -> dict[str, str]:
    """Take the keys of devices over until all are known or the window ends.

    Parameters
    ----------
    contacts : Contacts
        Gets the keys.
    names : frozenset of str
        Devices that are asked for; empty for all whose key the file does not have.
    window_s : float
        Seconds for which devices that do not answer yet are asked again.

    parallel : int
        How many at the same time; 0 for all of them.

    Returns
    -------
    dict
        Why a device has no key, by name.
    """
    waiting = _wanted(project, contacts.path, names)
    reasons: dict[str, str] = {}
    end = time.monotonic() + window_s
    while waiting:
        ask = partial(_ask, contacts=contacts)
        with executor(len(waiting), parallel) as threads:
            asked = dict(zip(waiting, threads.map(ask, waiting.values()), strict=True))
        for name, error in asked.items():
            if error is None:
                progress(name, "its serial answers; its key is in the connections file")
                reasons.pop(name, None)
            elif reasons.get(name) != str(error):
                reasons[name] = str(error)
                progress(name, str(error))
        waiting = {name: one for name, one in waiting.items() if asked[name] is not None}
        if not waiting or time.monotonic() + _PAUSE_S > end:
            break
        time.sleep(_PAUSE_S)
    return reasons


def _wanted(
    project: Project, file: Path, names: frozenset[str]
) -> Mapping[str, tuple[Device, Connection]]:
    """Return the devices that are asked, each with how it is reached."""
    devices = {one.name: one for one in managed(project.fabric) if one.platform != BMC}
    if strange := sorted(names - devices.keys()):
        raise _refused(f"device {strange[0]!r} is not in the inventory", "see --only")
    of = {name: one.platform for name, one in devices.items()}
    known = connections(file if file.exists() else None, of)
    wanted = {
        name: (one, _reached(one, known[name]))
        for name, one in devices.items()
        if (name in names if names else not known[name].trust)
    }
    if unknown := [name for name, (one, _) in wanted.items() if not one.serial]:
        if names:
            raise _refused(
                f"the serial of {unknown[0]} is not known, so that nothing proves who answers",
                "run `rocefab adopt-serials`, or set serial",
            )
        wanted = {name: one for name, one in wanted.items() if name not in unknown}
    return wanted


def _reached(device: Device, connection: Connection) -> Connection:
    """Return how a device is reached: at its management address, unless the file has another."""
    address = connection.address if connection.address != device.name else device.address
    return replace(connection, address=address, trust="")


def _ask(one: tuple[Device, Connection], contacts: Contacts) -> FabricError | None:
    """Ask a device who it is, by the key that it shows; return why it is not the one."""
    device, connection = one
    known = device.platform in platforms
    is_https = known and platforms[device.platform].default_port == _HTTPS
    try:
        trust = shown_key(connection, is_https=is_https)
        driver = open_driver(replace(connection, trust=trust), _WITHIN_S)
        try:
            check_identity(driver.identify(), "", device.serial, "")
        finally:
            driver.close()
        contacts.add(device, trust)
    except DeviceError as error:
        return error
    return None


def _refused(message: str, fix: str) -> InputError:
    finding = Finding("ZTP005", Severity.ERROR, message, fix)
    return InputError("no first contact", [finding])
