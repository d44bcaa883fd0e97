"""Arista EOS over eAPI by NAPALM.

What is known of NAPALM's driver (napalm 5.2.0, ``napalm/eos/eos.py``) and handled here: it names
sessions by the microsecond, so ours is set before the load and can be found again by another
process; while it knows a session it reads that along with the running configuration, and fails when
the session is gone, and ``close`` aborts it, which would undo a commit that waits for its
confirmation, so the name is removed after each use; a timed commit wraps at 24 hours and does
not save; ``rollback`` returns to the old *startup* configuration when no commit is pending any
more, as when its timer has just run out, so it is never used: aborting the session undoes a pending
commit, and saves nothing; errors of eAPI quote the refused line, secrets and all, so they are
redacted.
"""

from __future__ import annotations

import json
import logging
import re
import secrets
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from fabric.core.errors import ConnectionLostError, RefusedError
from fabric.devices.base import BaseDriver, read_subjects
from fabric.devices.clients import napalm_part
from fabric.devices.driver import (
    OWN_TOKEN,
    Connection,
    Identity,
    checked_token,
    drivers,
)
from fabric.devices.https import PinnedConnection

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fabric.devices.candidate import WholeConfiguration

_PREVIEW = "rocefab-preview"
#: With when it was begun: two operators never share one, and one that was left is told from others.
_PREVIEWS = re.compile(rf"{_PREVIEW}(?:-(\d+)-[0-9a-f]{{8}})?")
#: Longer than any preview takes (`limits`), and than clocks differ.
_LEFT_S = 3600
_API = "/command-api"  # arista-eosplus/pyeapi pyeapi/eapilib.py
_QUIET_S = 60
_TIMED = "pendingCommitTimer"
_OPEN = ("pending", _TIMED)
_SESSIONS = "show configuration sessions detail"
_STATE_COMMANDS = {
    "bgp": "show ip bgp summary vrf all",
    "bgp_ipv6": "show ipv6 bgp summary vrf all",
    "bgp_evpn": "show bgp evpn summary",
    "lldp": "show lldp neighbors",
    "version": "show version",
    "hostname": "show hostname",
    "interfaces": "show interfaces",
    "pfc_counters": "show priority-flow-control counters",
    "ecn_counters": "show qos interfaces ecn counters queue",
    "queue_counters": "show interfaces counters queue detail",
    "optics": "show interfaces transceiver",
    "signal": "show interfaces phy detail",
    "temperatures": "show system environment temperature",
    "arp": "show arp vrf all",
    "macs": "show mac address-table",
}
#: What it asks for besides previews, by itself and by NAPALM (napalm/eos/eos.py, open, get_config,
#: has_pending_commit); pyeapi begins each request with ``enable``.
READING = tuple(
    dict.fromkeys((
        "show running-config",
        "show startup-config",
        _SESSIONS,
        *_STATE_COMMANDS.values(),
    ))
)


@drivers.add("eos")
class EosDriver(BaseDriver):
    """One EOS switch."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._napalm: Any = None
        self._https: PinnedConnection | None = None

    def open(self) -> None:
        """Log in; refuses a certificate that is neither given nor signed by a known authority."""
        # It prints tracebacks of what is raised anyway, and logs configurations with their secrets.
        logging.getLogger("pyeapi.eapilib").disabled = True
        connection = self.connection
        if not connection.password:
            raise ConnectionLostError(
                connection.device, "eAPI takes a password, not SSH keys; set ROCEFAB_PASSWORD"
            )
        driver = napalm_part("eos").EOSDriver(
            connection.address,
            connection.username,
            connection.password,
            optional_args={"lock_disable": True},  # our own look at sessions names their holders
        )
        try:
            with self._translated("log in"):
                driver.device = self._node()
                driver.open()
        except BaseException:
            self.close()
            raise
        self._napalm = driver

    def _node(self) -> Any:
        """Return pyeapi's client on a connection of ours."""
        from pyeapi.client import Node

        from fabric.systems.eos.eapi import KeptEapi

        connection = self.connection
        self._https = PinnedConnection(
            connection.address,
            connection.port,
            path=_API,
            trust=connection.trust,
            timeout_s=_QUIET_S,
        )
        return Node(KeptEapi(self._https, connection.username, connection.password))

    def close(self) -> None:
        """Log out without touching a commit that waits for its confirmation."""
        self._napalm = None
        if self._https is not None:
            with suppress(Exception):
                self._https.close()

    def cut(self) -> None:
        """Break the connection off."""
        if self._https is not None:
            self._https.cut()

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
        """Return the JSON answers of the show commands of the subjects.

        A command that the switch does not take costs its subject alone.
        """
        return read_subjects(subjects, _STATE_COMMANDS, self._answer)

    def read_route(self, vrf: str, prefix: str) -> str:
        """Return the JSON answer about a route; a VRF that is not there is an error."""
        return json.dumps(self._show(f"show ip route vrf {vrf} {prefix}"), sort_keys=True)

    def _answer(self, command: str) -> str | None:
        """Return what a command shows, or None where the switch rejects it."""
        try:
            return json.dumps(self._show(command), sort_keys=True)
        except RefusedError:
            return None

    def foreign_sessions(self) -> Sequence[str]:
        """Return configuration sessions with uncommitted lines, and pending timed commits.

        Ours go by their names; of others the switch tells who committed.
        """
        return self._holders()

    def _holders(self, own: str = "", states: Sequence[str] = _OPEN) -> list[str]:
        """Return the sessions in some states, and who committed them."""
        answer = self._show(_SESSIONS)
        sessions = answer.get("sessions", {})
        names = {name for name, one in sessions.items() if one.get("state") in states}
        timed = answer.get("commitTimerSessionName")
        names = {*names, *([timed] if timed else [])} - {own}
        return [
            _holder(name, sessions.get(name, {}))
            for name in sorted(names)
            if not _PREVIEWS.fullmatch(name)
        ]

    def preview(self, candidate: WholeConfiguration) -> str:
        """Return the switch's own diff of a full replacement; the session is aborted after."""
        self._abort_left_previews()
        name = f"{_PREVIEW}-{int(time.time())}-{secrets.token_hex(4)}"
        try:
            self._load(candidate, name)
            with self._session(name), self._translated("compare"):
                return str(self._napalm.compare_config())
        finally:
            self._abort(name)

    def _abort_left_previews(self) -> None:
        """Abort previews whose connection was lost: a switch has room for few sessions."""
        sessions = self._show(_SESSIONS).get("sessions", {})
        for name in sessions:
            begun = _PREVIEWS.fullmatch(name)
            if begun and int(begun[1] or 0) < time.time() - _LEFT_S:
                self._abort(name)

    def _abort(self, name: str) -> None:
        with self._session(name), suppress(Exception):  # it goes when it is an hour old
            self._napalm.discard_config()

    def stage(self, candidate: WholeConfiguration, token: str) -> None:
        """Load the whole configuration into a session named by the token.

        Raises
        ------
        RefusedError
            When somebody else has a session with uncommitted lines, or a commit that waits.
        """
        self._refuse_holders(self._holders(checked_token(token)))
        self._load(candidate, token)

    def _refuse_holders(self, holders: Sequence[str]) -> None:
        if holders:
            raise RefusedError(self.connection.device, f"in the way: {', '.join(holders)}")

    def _load(self, candidate: WholeConfiguration, session: str) -> None:
        with self._session(session), self._translated("load"):
            self._napalm.load_replace_candidate(config=candidate.text)

    def commit(self, candidate: WholeConfiguration, token: str, timer_s: int) -> None:  # noqa: ARG002
        """Commit the session with the switch's own timer; it must not be 24 hours or longer.

        Raises
        ------
        RefusedError
            When another commit waits for its confirmation; the session is thrown away then.
        """
        waiting = self._holders(checked_token(token), (_TIMED,))
        if waiting:
            self.rollback(token)
            self._refuse_holders(waiting)
        with self._session(checked_token(token)), self._translated("commit"):
            self._napalm.commit_config(revert_in=timer_s or None)

    def pending(self, token: str) -> bool:
        """Tell whether the switch still waits for the confirmation of this session."""
        answer = self._show(_SESSIONS)
        if answer.get("commitTimerSessionName") == checked_token(token):
            return True
        session = answer.get("sessions", {}).get(token, {})
        return bool(session.get("state") == _TIMED)

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

    def _is_refusal(self, error: Exception) -> bool:
        from napalm.base import exceptions as napalm
        from pyeapi.eapilib import CommandError

        refusals = (
            CommandError,
            napalm.CommitError,
            napalm.MergeConfigException,
            napalm.ReplaceConfigException,
            napalm.SessionLockedException,
        )
        return isinstance(error, refusals)


def _holder(name: str, session: Mapping[str, Any]) -> str:
    """Return what to call a session: its name, and whose it is where that is not in the name."""
    if name.startswith(OWN_TOKEN):
        return name
    user, state = session.get("commitUser"), session.get("state")
    by = f" of {user}" if user else ""
    return f"configuration session {name}{by}{' (timed commit)' if state == _TIMED else ''}"
