"""Junos over NETCONF by NAPALM.

What is known of NAPALM's driver (napalm 5.2.0 ``napalm/junos/junos.py``, junos-eznc 2.8.2) and of
Junos, and handled here:

- junos-eznc takes any SSH host key: verification is switched on, and the key that is known goes in
  by a file of known hosts.
- A text whose first word is ``set`` or ``delete`` is a merge of lines; with a replacement it is a
  ValueError. Changes are such lines, so that what is not ours never leaves the switch.
- ``revert_in`` must be a multiple of 60 seconds: the timer is rounded up to minutes.
- ``has_pending_commit`` reads the comment of a commit, not who made it. The token of a change
  travels as log message, beside the comment (Juniper/yang @ 3b347867 24.4R1-EVO
  junos-genstate-commit-revision-information), and marks the revision for any process. The last
  revision is ours exactly while it waits: a confirmation and a timer that runs out make another.
- Any commit confirms, with whatever stands in the shared candidate, and so does a commit check:
  under a lock, and when the revision is still ours, only; a lock is refused while somebody has
  changes that are not committed.
- ``rollback`` goes one commit back, whosever that was: also under a lock and on our revision only.
- After a commit that was refused NAPALM leaves candidate and lock as they are: both are let go.
- ncclient compiles the stylesheet that takes the namespaces off a reply anew for each of them.
- ncclient 0.7.0 looks ten times a second for something to send: an operation takes 0.1 s.
- Junos has no startup configuration: what is committed survives.
- Errors quote the refused lines, so they are redacted.
"""

from __future__ import annotations

import logging
import os
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from fabric.core.errors import ConnectionLostError, DeviceError, RefusedError
from fabric.devices.answers import AnswerTooLongError, allowance
from fabric.devices.base import BaseDriver
from fabric.devices.clients import napalm_part
from fabric.devices.driver import TOKEN, Connection, Identity, checked_token, drivers
from fabric.devices.ssh import prepare_transports
from fabric.observe.authors import SUBJECT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fabric.devices.candidate import LinePatch

_TIMEOUT_S = 180  # a commit that programs the buffers of all ports takes its time
_MINUTE_S = 60
_TEXT_COMMANDS = {
    "version": ("show version",),
    "bgp": ("show bgp summary",),
    "lldp": ("show lldp neighbors",),
    "arp": ("show arp no-resolve",),
    "macs": ("show vlans", "show ethernet-switching table"),
}
_INTERFACES = "show interfaces extensive"
_XML_SUBJECTS = ("interfaces", "pfc_counters", "queues")
#: Commands whose answers are read as XML; each is a subject of its own.
_XML_COMMANDS = {
    "optics": "show interfaces diagnostics optics",
    "temperatures": "show chassis environment",
}
#: What is read of the configuration beside PFC says that it was read at all.
_COS = ("set class-of-service ", "deactivate class-of-service", "set system host-name ")
_TIMED = "commit confirmed, rollback in"


@drivers.add("junos")
class JunosDriver(BaseDriver):
    """One Junos switch."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._napalm: Any = None
        self._staged = ""
        self._revisions: dict[str, str] = {}
        self._is_cut = False
        self._can_say = allowance()
        self._too_long = ""

    def open(self) -> None:
        """Log in; refuses a host key that is neither given nor known."""
        # It logs what is sent, configurations with their secrets.
        logging.getLogger("ncclient").setLevel(logging.WARNING)
        prepare_transports()
        connection = self.connection
        with self._translated("log in"), _ssh_config(connection) as config:
            driver = napalm_part("junos").JunOSDriver(
                connection.address,
                connection.username,
                connection.password or None,
                timeout=_TIMEOUT_S,
                optional_args={
                    "port": connection.port,
                    "key_file": connection.key_file or None,
                    "ssh_config_file": config or None,
                },
            )
            driver.device._hostkey_verify = True  # noqa: SLF001 - NAPALM hands no option on
            driver.device._allow_agent = not connection.password  # noqa: SLF001
            driver.device._look_for_keys = False  # noqa: SLF001
            driver.open()
            _keep_stylesheet(driver.device)
        self._napalm = driver
        if self._is_cut:
            self.cut()
            return
        self._cap_answers()

    def _cap_answers(self) -> None:
        """Let ncclient read no answer that is longer than any can be; it has no limit."""
        session = self._napalm.device._conn._session  # noqa: SLF001 - ncclient offers no place
        read = session._transport_read  # noqa: SLF001

        def capped() -> bytes:
            data: bytes = read()
            try:
                self._can_say.take(len(data))
            except AnswerTooLongError as error:
                self._too_long = str(error)
                raise
            return data

        session._transport_read = capped  # noqa: SLF001

    def close(self) -> None:
        """Log out: a candidate of this session is forgotten, a timed commit goes on waiting."""
        if self._napalm is not None:
            with suppress(Exception):
                if self._staged:
                    self._napalm.discard_config()
            with suppress(Exception):
                self._napalm.close()
            self._napalm = None
            self._staged = ""

    def cut(self) -> None:
        """Break the session off, or the login that is under way."""
        self._is_cut = True
        if self._napalm is not None:
            with suppress(Exception):
                self._napalm.device._conn._session.transport.close()  # noqa: SLF001

    def identify(self) -> Identity:
        """Return host name and serial number; Junos tells no chassis MAC along with them."""
        with self._translated("ask for its name"):
            rpc = self._napalm.device.rpc
            hostname = rpc.get_software_information().findtext(".//host-name")
            serial = rpc.get_chassis_inventory().findtext("chassis/serial-number")
        return Identity(hostname=(hostname or "").strip(), serial=(serial or "").strip())

    def read_running(self, files: Sequence[str]) -> Mapping[str, str]:  # noqa: ARG002
        """Return the committed configuration as ``set`` lines; Junos has no files of ours."""
        return {"config": self._lines()}

    def _lines(self) -> str:
        with self._translated("read the configuration"):
            configuration = self._napalm.get_config(retrieve="running", format="set")
        return f"{configuration['running'].strip()}\n"

    def read_state(self, subjects: Sequence[str]) -> Mapping[str, str]:
        """Return the outputs of the show commands of the subjects; those of the ports as XML.

        An answer is an XML element that must close, so that a cut one does not get here; its last
        line end is put in place.
        """
        texts = {}
        for subject in subjects:
            if subject in _TEXT_COMMANDS:
                outputs = [f"{self._show(c).strip()}\n" for c in _TEXT_COMMANDS[subject]]
                texts[subject] = "".join(outputs)
        asked = [subject for subject in subjects if subject in _XML_SUBJECTS]
        if asked:
            texts.update(dict.fromkeys(asked, self._show(_INTERFACES, "xml")))
        for subject in subjects:
            if subject in _XML_COMMANDS:
                texts[subject] = self._show(_XML_COMMANDS[subject], "xml")
        if SUBJECT in subjects:
            texts[SUBJECT] = self._commits()
        if "pfc" in subjects:
            lines = self._lines().splitlines(keepends=True)
            texts["pfc"] = "".join(line for line in lines if line.startswith(_COS))
        return texts

    def read_route(self, vrf: str, prefix: str) -> str:  # noqa: ARG002
        """Return the whole table of a VRF as XML: no source shows the answer without a route."""
        return self._show(f"show route table {vrf}.inet.0", "xml")

    def _commits(self) -> str:
        """Return the commit history as XML."""
        with self._translated("ask for the commit history"):
            answer = self._napalm.device.rpc.get_commit_information()
        return "".join(_as_xml(commit) for commit in answer.iter("commit-history"))

    def foreign_sessions(self) -> Sequence[str]:
        """Return what waits in the candidate, and a timed commit that waits for its confirmation.

        A change of ours goes by its token.
        """
        if self._staged:
            return [self._staged]
        with self._translated("compare"):
            changed = bool(self._napalm.compare_config())
        uncommitted = (
            ["changes in the candidate configuration that are not committed"] if changed else []
        )
        waiting = self._waiting()
        return [*uncommitted, waiting] if waiting else uncommitted

    def preview(self, candidate: LinePatch) -> str:
        """Return the switch's own diff; the candidate is put back after."""
        self._load(candidate)
        try:
            with self._translated("compare"):
                return str(self._napalm.compare_config())
        finally:
            with suppress(Exception):  # the lock goes with the session, and the candidate with it
                self._napalm.discard_config()

    def stage(self, candidate: LinePatch, token: str) -> None:
        """Load the lines into the locked candidate and let the switch check them.

        Raises
        ------
        RefusedError
            When another timed commit waits: the check would confirm it.
        """
        checked_token(token)
        if self._waiting():
            raise RefusedError(self.connection.device, "another commit waits for its confirmation")
        self._load(candidate)
        self._staged = token
        with self._or_discard(), self._translated("check"):
            self._napalm.device.cu.commit_check()

    def _load(self, candidate: LinePatch) -> None:
        with self._translated("load"):
            self._napalm.load_merge_candidate(config=candidate.lines)

    def commit(self, candidate: LinePatch, token: str, timer_s: int) -> None:  # noqa: ARG002
        """Commit what is staged with the switch's own timer, in whole minutes."""
        if self._staged != checked_token(token):
            raise RefusedError(self.connection.device, f"{token} is not staged in this session")
        minutes = -(-timer_s // _MINUTE_S)
        with self._or_discard(), self._translated("commit"):
            revert_in = minutes * _MINUTE_S or None
            self._napalm.commit_config(message=token, revert_in=revert_in)
        self._staged = ""
        if minutes:
            self._revisions[self._last_commit()["revision"]] = token

    def pending(self, token: str) -> bool:
        """Tell whether the last commit is this one: then it still waits."""
        return checked_token(token) == self._waiting()

    def confirm(self, token: str) -> None:
        """Confirm the timed commit.

        Raises
        ------
        RefusedError
            When it does not wait any more, or somebody has changes in the candidate.
        """
        before = self._lines()
        with self._locked("confirm"):
            self._check_waiting(token)
            self._napalm.confirm_commit()
        if self._lines() != before:
            raise DeviceError(self.connection.device, "its timer ran out during the confirmation")

    def rollback(self, token: str) -> None:
        """Roll back one commit, or forget what is staged.

        Raises
        ------
        RefusedError
            When the change does not wait any more: one commit back would be another's.
        """
        if self._staged == checked_token(token):
            self._staged = ""
            with self._translated("roll back"):
                self._napalm.discard_config()
            return
        with self._locked("roll back"):
            self._check_waiting(token)
            self._napalm.rollback()

    def save(self) -> None:
        """Do nothing: what is committed survives a reboot."""

    def _check_waiting(self, token: str) -> None:
        if not self.pending(token):
            raise RefusedError(
                self.connection.device,
                f"{token} does not wait any more: its timer has already run out",
            )

    def _waiting(self) -> str:
        """Return the token of the last commit while it waits, or what to call another's."""
        last = self._last_commit()
        own = self._revisions.get(last["revision"], "")
        if own or _TIMED not in last["comment"]:
            return own
        token = TOKEN.search(last["log"])
        return token[0] if token else f"timed commit of {last['user']}"

    def _last_commit(self) -> dict[str, str]:
        """Return revision, user, comment and log of the last commit."""
        with self._translated("ask for the last commit"):
            commit = self._napalm.device.rpc.get_commit_revision_information(detail=True)
            return {
                name: str(commit.findtext(name) or "")
                for name in ("revision", "user", "comment", "log")
            }

    @contextmanager
    def _locked(self, doing: str) -> Iterator[None]:
        with self._translated(doing):
            self._napalm.device.cu.lock()
            try:
                yield
            finally:
                with suppress(Exception):  # it goes with the session
                    self._napalm.device.cu.unlock()

    @contextmanager
    def _or_discard(self) -> Iterator[None]:
        try:
            yield
        except DeviceError:
            self._staged = ""
            with suppress(Exception):  # the lock goes with the session, and the candidate with it
                self._napalm.discard_config()
            raise

    def _show(self, command: str, encoding: str = "text") -> str:
        with self._translated(command):
            return str(self._napalm.cli([command], encoding=encoding)[command])

    @contextmanager
    def _translated(self, doing: str) -> Iterator[None]:
        if self._napalm is None and doing != "log in":
            raise ConnectionLostError(self.connection.device, "there is no session with it")
        self._can_say = allowance()
        with super()._translated(doing):
            yield

    def _cause(self, error: Exception, doing: str) -> str:
        # junos-eznc calls a wrong host key a refused connection; what it met says why.
        return str((error.__context__ if doing == "log in" else self._too_long) or error)

    def _is_refusal(self, error: Exception) -> bool:
        from jnpr.junos import exception as junos
        from napalm.base import exceptions as napalm

        refusals = (
            junos.RpcError,
            napalm.CommitConfirmException,
            napalm.LockError,
            napalm.MergeConfigException,
        )
        losses = (junos.RpcTimeoutError, junos.ConnectError)
        return isinstance(error, refusals) and not isinstance(error, losses)


@contextmanager
def _ssh_config(connection: Connection) -> Iterator[str]:
    """Yield an SSH configuration that names the known key; empty where the user's own decides."""
    if not connection.trust:
        yield ""
        return
    handle, known = tempfile.mkstemp(prefix="rocefab-known-")
    with os.fdopen(handle, "w") as file:
        for host in (connection.address, f"[{connection.address}]:{connection.port}"):
            file.write(f"{host} {connection.trust.strip()}\n")
    handle, config = tempfile.mkstemp(prefix="rocefab-ssh-")
    with os.fdopen(handle, "w") as file:
        file.write(f"Host *\n  UserKnownHostsFile {known}\n")
    try:
        yield config
    finally:
        Path(known).unlink()
        Path(config).unlink()


def _keep_stylesheet(device: Any) -> None:
    """Let a session compile ncclient's stylesheet once, for all its replies."""
    from lxml import etree

    parser = etree.XMLParser(remove_blank_text=True)
    style = etree.XSLT(etree.fromstring(device.transform(), parser))

    def bare(reply: Any) -> Any:
        # As ncclient does it (xml_.py, ``remove_namespaces``): without text that is blank.
        return style(etree.fromstring(etree.tostring(reply), parser)).getroot()

    device.transform = lambda: bare


def _as_xml(commit: Any) -> str:
    """Return an entry of the commit history as XML without attributes."""
    fields = [f"<{one.tag}>{escape(one.text or '')}</{one.tag}>" for one in commit]
    return f"<commit-history>{''.join(fields)}</commit-history>\n"
