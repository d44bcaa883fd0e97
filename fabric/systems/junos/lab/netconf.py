"""One NETCONF session of the Junos stand-in.

Known: RFC 6242 clause 4.3, messages that end in ``]]>]]>``; RFC 6241, hello, rpc and rpc-error; the
operations that junos-eznc 2.8.2 and napalm 5.2.0 send, with the elements that they read; the answer
to a load of lines (issue 660 of Juniper/ansible-junos-stdlib).
Assumed: texts of errors that are not named in ``junos_store``; the commit is answered with ``ok``
alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

from fabric.lab.ssh.channel import Channel, CutError
from fabric.systems.junos.lab.store import JunosError

if TYPE_CHECKING:
    from fabric.lab.faults import Fault, FaultKind
    from fabric.lab.ssh.channel import Process
    from fabric.systems.junos.lab import JunosStandIn

END = "]]>]]>"
_CHUNK = 65536
_BASE = "urn:ietf:params:xml:ns:netconf:base:1.0"
_CAPABILITIES = (
    "urn:ietf:params:netconf:base:1.0",
    "urn:ietf:params:netconf:capability:candidate:1.0",
    "urn:ietf:params:netconf:capability:confirmed-commit:1.0",
    "urn:ietf:params:netconf:capability:validate:1.0",
    "http://xml.juniper.net/netconf/junos/1.0",
)


class NetconfSession(Channel):
    """Serve one client.

    Parameters
    ----------
    stand_in : JunosStandIn
        Whose configuration and state it is.
    number : int
        Session id.
    """

    def __init__(self, stand_in: JunosStandIn, process: Process, number: int) -> None:
        super().__init__(stand_in, process)
        self._switch = stand_in
        self.number = number

    def _end(self) -> None:
        with self._switch.lock:
            self._switch.store.end(self.number)

    async def _interact(self) -> int:
        inner = "".join(f"<capability>{one}</capability>" for one in _CAPABILITIES)
        await self._send(
            f'<hello xmlns="{_BASE}"><capabilities>{inner}</capabilities>'
            f"<session-id>{self.number}</session-id></hello>"
        )
        waiting = ""
        while data := await self._process.stdin.read(_CHUNK):
            waiting += data
            while END in waiting:
                message, _, waiting = waiting.partition(END)
                if not await self._message(message):
                    return 0
        return 0

    async def _message(self, text: str) -> bool:
        """Answer one message; tell whether the session goes on."""
        try:
            root = ET.fromstring(text.strip().encode())  # noqa: S314 - our own client
        except ET.ParseError as error:
            raise CutError from error
        for element in root.iter():
            element.tag = element.tag.rpartition("}")[2]
        if root.tag == "hello":
            return True
        operation = root[0]
        label = label_of(operation)
        await self._struck(label)
        try:
            with self._switch.lock:
                inner = self._switch.answer(operation, label, self.number)
        except JunosError as error:
            inner = error_xml(error)
        number = root.get("message-id", "")
        await self._send(
            f'<rpc-reply xmlns="{_BASE}" xmlns:junos="http://xml.juniper.net/junos/23.4X100/junos"'
            f' message-id="{escape(number)}">{inner}</rpc-reply>'
        )
        if not self._switch.reachable:
            raise CutError
        return operation.tag != "close-session"

    def _strike(self, text: str) -> Fault | None:
        kinds: tuple[FaultKind, ...] = ("cut_at_byte", "cut_at_command", "hang", "reboot")
        return self._switch.faults.strike(text, *kinds)

    async def _send(self, text: str) -> None:
        self._write(f"{text}\n{END}\n")
        await self._process.stdout.drain()


def label_of(operation: ET.Element) -> str:
    """Return what faults call an operation: the command, or its name with what matters of it."""
    if operation.tag == "command":
        return (operation.text or "").strip()
    if operation.tag == "commit-configuration":
        minutes = operation.findtext("confirm-timeout")
        if operation.find("check") is not None:
            return "commit check"
        return f"commit confirmed {minutes}" if minutes else "commit"
    if operation.tag == "load-configuration" and operation.get("rollback"):
        return f"rollback {operation.get('rollback')}"
    return operation.tag


def error_xml(error: JunosError) -> str:
    """Return an error as the system answers it."""
    bad = f"<error-info><bad-element>{escape(error.bad_element)}</bad-element></error-info>"
    return (
        "<rpc-error><error-type>protocol</error-type><error-tag>operation-failed</error-tag>"
        f"<error-severity>{error.severity}</error-severity>"
        f"<error-message>{escape(error.message)}</error-message>"
        f"{bad if error.bad_element else ''}</rpc-error>"
    )
