"""A driver without a device: its state is a JSON file, so that it outlives the process.

It behaves as the SONiC driver does - stage, commit with a timer, confirm, roll back, save - and
lets the change room be tried, and be killed, without a network. It registers under no platform:
whoever wants it puts it into the registry.
"""

from __future__ import annotations

import fcntl
import json
import time
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonpatch

from fabric.core.errors import ConnectionLostError, DeviceError, RefusedError
from fabric.devices.base import BaseDriver
from fabric.devices.candidate import SonicCandidate, SonicLive, SonicReload, files_of
from fabric.devices.device_lock import Claim
from fabric.devices.driver import Connection, Identity, checked_token

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


class MemoryDriver(BaseDriver):
    """One device that is a file.

    Parameters
    ----------
    connection : Connection
        ``address`` is the path of the state file; see :meth:`create`.
    """

    has_lock = True

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._path = Path(connection.address)

    @staticmethod
    def create(path: Path, name: str, config: dict[str, Any]) -> None:
        """Write the state of a new device."""
        state = {"name": name, "running": config, "startup": config, "files": {}, "pending": None}
        path.write_text(json.dumps({**state, "commits": 0, "refuse": False}))

    def open(self) -> None:
        """Check that the file is there."""
        if not self._path.exists():
            raise ConnectionLostError(self.connection.device, "no such device")

    def close(self) -> None:
        """Nothing is open."""

    def cut(self) -> None:
        """Nothing is open."""

    def identify(self) -> Identity:
        """Return the name."""
        return Identity(self._state()["name"])

    def read_running(self, files: Sequence[str]) -> Mapping[str, str]:
        """Return running and startup configuration and the asked files."""
        state = self._state()
        texts = {name: json.dumps(state[key]) for name, key in _TEXTS}
        texts |= {f"file:{path}": state["files"][path] for path in files if path in state["files"]}
        return texts

    def read_state(self, subjects: Sequence[str]) -> Mapping[str, str]:
        """Return empty tables: nothing is cabled."""
        return {subject: _EMPTY[subject] for subject in subjects if subject in _EMPTY}

    def foreign_sessions(self) -> Sequence[str]:
        """Return the change that waits for its confirmation."""
        pending = self._state()["pending"]
        return [pending["token"]] if pending else []

    def stage(self, candidate: SonicCandidate, token: str) -> None:
        """Check the token; everything comes with the commit."""
        checked_token(token)

    def commit(self, candidate: SonicCandidate, token: str, timer_s: int) -> None:
        """Put the candidate into force."""
        state = self._state()
        if state["refuse"]:
            raise RefusedError(self.connection.device, "the device rejected the change")
        before = {"running": state["running"], "files": dict(state["files"])}
        state["pending"] = {"token": checked_token(token), **before} if timer_s else None
        state["running"] = _applied(state["running"], candidate)
        state["files"] |= {file.path: file.content.decode() for file in files_of(candidate).files}
        state["commits"] += 1
        self._write(state)

    def pending(self, token: str) -> bool:
        """Tell whether the change waits for its confirmation."""
        return token in self.foreign_sessions()

    def confirm(self, token: str) -> None:
        """Stop the timer."""
        if not self.pending(token):
            raise DeviceError(self.connection.device, "the commit timer has already run out")
        self._write({**self._state(), "pending": None})

    def rollback(self, token: str) -> None:
        """Restore what was."""
        state = self._state()
        if self.pending(token):
            old = state["pending"]
            state |= {"running": old["running"], "files": old["files"], "pending": None}
            self._write(state)

    def save(self) -> None:
        """Make the running configuration the saved one."""
        state = self._state()
        self._write({**state, "startup": state["running"]})

    def claim(self, claim: Claim, ttl_s: int, breaks: str) -> Claim:
        """Take or extend the lock; return who holds it then."""
        with self._guarded() as state:
            held = self._holder(state)
            if held is None or held.expired or held.token in {claim.token, breaks}:
                until = int(time.time()) + ttl_s
                state["lock"] = asdict(replace(claim, until=until, left_s=0))
                self._write(state)
            holder = self._holder(state)
        assert holder is not None
        return holder

    def claimed(self) -> Claim | None:
        """Return who holds the lock."""
        return self._holder(self._state())

    def unclaim(self, token: str) -> None:
        """Remove the lock where it has this token."""
        with self._guarded() as state:
            if (held := self._holder(state)) and held.token == token:
                self._write({**state, "lock": None})

    @staticmethod
    def _holder(state: dict[str, Any]) -> Claim | None:
        lock = state.get("lock")
        return replace(Claim(**lock), left_s=lock["until"] - int(time.time())) if lock else None

    @contextmanager
    def _guarded(self) -> Iterator[dict[str, Any]]:
        """Yield the state while no other process compares and writes the lock."""
        with self._path.with_suffix(".guard").open("w") as guard:
            fcntl.flock(guard, fcntl.LOCK_EX)
            yield self._state()

    def _state(self) -> dict[str, Any]:
        state: dict[str, Any] = json.loads(self._path.read_text())
        return state

    def _write(self, state: dict[str, Any]) -> None:
        temporary = self._path.with_suffix(".part")
        temporary.write_text(json.dumps(state))
        temporary.replace(self._path)


_TEXTS = (("config", "running"), ("startup", "startup"))
_EMPTY = {
    "bgp": "No IPv4 neighbor is configured",
    "lldp": "LocalPort    RemoteDevice    RemotePortID\n"
    "-----------  --------------  ------------\nTotal entries displayed:  0\n",
    "pfc_priority": "Interface    Lossless priorities\n-----------  -------------------\n",
}


def _applied(running: dict[str, Any], candidate: SonicCandidate) -> dict[str, Any]:
    if isinstance(candidate, SonicReload):
        target: dict[str, Any] = json.loads(candidate.target)
        return target
    config: dict[str, Any] = json.loads(json.dumps(running))
    for step in candidate.steps if isinstance(candidate, SonicLive) else ():
        content = json.loads(step.text)
        if step.kind == "patch":
            config = jsonpatch.apply_patch(config, content)
            continue
        for table, rows in content.items():
            for row, fields in rows.items():
                if step.kind == "load":
                    config.setdefault(table, {}).setdefault(row, {}).update(fields)
                else:
                    del config[table][row]
            if not config[table]:
                del config[table]
    return config
