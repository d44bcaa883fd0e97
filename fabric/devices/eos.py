"""Arista EOS over eAPI by NAPALM.

What is known of NAPALM's driver (napalm 5.2.0, ``napalm/eos/eos.py``) and handled here: it names
sessions by the microsecond, so ours is set before the load and can be found again by another
process; while it knows a session it reads that along with the running configuration, and fails when
the session is gone, and ``close`` aborts it, which would undo a commit that waits for its
confirmation, so the name is taken away after each use; a timed commit wraps at 24 hours and does
not save; ``rollback`` goes back to the old *startup* configuration when no commit is pending any
more, as when its timer has just run out, so it is never used: aborting the session takes a pending
commit back, and saves nothing; errors of eAPI quote the refused line, secrets and all, so they are
redacted.
"""

from __future__ import annotations

import json
import logging
import ssl
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from fabric.core.errors import ConnectionLostError, DeviceError, RefusedError
from fabric.devices.driver import Candidate, Connection, Identity, checked_token, drivers
from fabric.devices.redaction import redacted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_PREVIEW = "rocefab-preview"
_STATE_COMMANDS = {
    "bgp": "show ip bgp summary vrf all",
    "lldp": "show lldp neighbors",
    "version": "show version",
    "interfaces": "show interfaces",
    "pfc_counters": "show priority-flow-control counters",
    "ecn_counters": "show qos interfaces ecn counters queue",
    "queue_counters": "show interfaces counters queue detail",
    "arp": "show arp vrf all",
    "macs": "show mac address-table",
}


@drivers.add("eos")
class EosDriver:
    """One EOS switch."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._napalm: Any = None

    def open(self) -> None:
        """Log in; refuses a certificate that is neither given nor signed by a known authority."""
        from napalm import get_network_driver

        # It prints tracebacks of what is raised anyway, and logs configurations with their secrets.
        logging.getLogger("pyeapi.eapilib").disabled = True
        connection = self.connection
        if not connection.password:
            message = "eAPI takes a password, not SSH keys; set ROCEFAB_PASSWORD"
            raise ConnectionLostError(connection.device, message)
        context = ssl.create_default_context(cadata=connection.trust or None)
        if connection.trust:
            context.check_hostname = False  # the certificate itself is pinned
        driver = get_network_driver("eos")(
            connection.address,
            connection.username,
            connection.password,
            timeout=60,
            optional_args={"port": connection.port, "transport": "https", "context": context},
        )
        with self._translated("log in"):
            driver.open()
        self._napalm = driver

    def close(self) -> None:
        """Log out without touching a commit that waits for its confirmation."""
        if self._napalm is not None:
            with suppress(Exception):
                self._napalm.close()
            self._napalm = None

    def identify(self) -> Identity:
        """Return host name, serial number and system MAC."""
        version = self._show("show version")
        hostname = self._show("show hostname")
        return Identity(
            hostname=str(hostname.get("hostname", "")),
            serial=str(version.get("serialNumber", "")),
            mac=str(version.get("systemMacAddress", "")).lower(),
        )

    def read_running(self, files: Sequence[str]) -> Mapping[str, str]:  # noqa: ARG002
        """Return running and startup configuration; EOS has no files of ours."""
        with self._translated("read the configuration"):
            texts = self._napalm.get_config(retrieve="all")
        return {"config": texts["running"], "startup": texts["startup"]}

    def read_state(self, subjects: Sequence[str]) -> Mapping[str, str]:
        """Return the JSON answers of the show commands of the subjects."""
        return {
            subject: json.dumps(self._show(_STATE_COMMANDS[subject]), sort_keys=True)
            for subject in subjects
            if subject in _STATE_COMMANDS
        }

    def foreign_sessions(self) -> Sequence[str]:
        """Return configuration sessions with uncommitted lines, and pending timed commits."""
        answer = self._show("show configuration sessions detail")
        open_states = ("pending", "pendingCommitTimer")
        found = [
            name
            for name, session in answer.get("sessions", {}).items()
            if session.get("state") in open_states and name != _PREVIEW
        ]
        timed = answer.get("commitTimerSessionName")
        return sorted({*found, *([timed] if timed else [])})

    def preview(self, candidate: Candidate) -> str:
        """Return the switch's own diff of a full replacement; the session is aborted after."""
        self._load(candidate, _PREVIEW)
        with self._session(_PREVIEW):
            try:
                with self._translated("compare"):
                    return str(self._napalm.compare_config())
            finally:
                with suppress(Exception):  # the next preview enters the session again, emptied
                    self._napalm.discard_config()

    def missing_timer(self) -> str:
        """Return nothing: configuration sessions have a commit timer."""
        return ""

    def stage(self, candidate: Candidate, token: str) -> None:
        """Load the whole configuration into a session named by the token."""
        self._load(candidate, checked_token(token))

    def _load(self, candidate: Candidate, session: str) -> None:
        with self._session(session), self._translated("load"):
            self._napalm.load_replace_candidate(config=candidate.target)

    def commit(self, candidate: Candidate, token: str, timer_s: int) -> None:  # noqa: ARG002
        """Commit the session with the switch's own timer; it must not be 24 hours or longer."""
        with self._session(checked_token(token)), self._translated("commit"):
            self._napalm.commit_config(revert_in=timer_s)

    def pending(self, token: str) -> bool:
        """Tell whether the switch still waits for the confirmation of this session."""
        answer = self._show("show configuration sessions detail")
        if answer.get("commitTimerSessionName") == checked_token(token):
            return True
        session = answer.get("sessions", {}).get(token, {})
        return bool(session.get("state") == "pendingCommitTimer")

    def confirm(self, token: str) -> None:
        """Confirm the timed commit; NAPALM saves along with it."""
        with self._session(checked_token(token)), self._translated("confirm"):
            self._napalm.confirm_commit()

    def rollback(self, token: str) -> None:
        """Abort the timed commit, or the session when it was not committed."""
        with self._session(checked_token(token)), self._translated("roll back"):
            self._napalm.discard_config()

    def save(self) -> None:
        """Write the running configuration to the startup configuration."""
        with self._translated("save"):
            self._napalm.cli(["write memory"])

    @contextmanager
    def _session(self, name: str) -> Iterator[None]:
        self._napalm.config_session = name
        try:
            yield
        finally:
            self._napalm.config_session = None

    def _show(self, command: str) -> dict[str, Any]:
        with self._translated(command):
            answer: dict[str, Any] = self._napalm.cli([command], encoding="json")[command]
        return answer

    @contextmanager
    def _translated(self, doing: str) -> Iterator[None]:
        from napalm.base import exceptions as napalm
        from pyeapi.eapilib import CommandError

        refusals = (
            CommandError,
            napalm.CommitError,
            napalm.MergeConfigException,
            napalm.ReplaceConfigException,
            napalm.SessionLockedException,
        )
        try:
            yield
        except DeviceError:
            raise
        except Exception as error:  # noqa: BLE001 - NAPALM, pyeapi, ssl, socket: no common base
            reason = " ".join(redacted(str(error)).split())[:300] or type(error).__name__
            kind = RefusedError if isinstance(error, refusals) else ConnectionLostError
            # Without its cause: the text of that may hold what was redacted here.
            raise kind(self.connection.device, f"cannot {doing}: {reason}") from None
