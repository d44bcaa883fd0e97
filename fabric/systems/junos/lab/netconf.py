"""One NETCONF session of the Junos stand-in.

Known: RFC 6242 clause 4.3, messages that end in ``]]>]]>``; RFC 6241, hello, rpc and rpc-error; the
operations that junos-eznc 2.8.2 and napalm 5.2.0 send, with the elements that they read; the answer
to a load of lines (issue 660 of Juniper/ansible-junos-stdlib).
Assumed: texts of errors that are not named in ``junos_store``; the commit is answered with ``ok``
alone.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

import asyncssh

from fabric.lab.outpour import pour
from fabric.systems.junos.lab.store import JunosError

if TYPE_CHECKING:
    from fabric.lab.ssh.session import Process
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


class CutError(Exception):
    """A fault, or the switch itself, ends the session."""


class NetconfSession:
    """Serve one client.

    Parameters
    ----------
    stand_in : JunosStandIn
        Whose configuration and state it is.
    process : asyncssh.SSHServerProcess
        The channel.
    number : int
        Session id.
    """

    def __init__(self, stand_in: JunosStandIn, process: Process, number: int) -> None:
        self._stand_in = stand_in
        self._process = process
        self.number = number
        self._left: int | None = None  # bytes until a fault cuts the session

    async def serve(self) -> None:
        """Run until the client, a fault or a reboot ends it."""
        stand_in, process = self._stand_in, self._process
        try:
            await self._serve()
        except CutError:
            await asyncio.sleep(0)
            stand_in.drop(process.get_extra_info("connection"))
        except (asyncssh.Error, OSError):
            pass
        else:
            process.exit(0)
        finally:
            with stand_in.lock:
                stand_in.store.end(self.number)

    async def _serve(self) -> None:
        inner = "".join(f"<capability>{one}</capability>" for one in _CAPABILITIES)
        await self._write(
            f'<hello xmlns="{_BASE}"><capabilities>{inner}</capabilities>'
            f"<session-id>{self.number}</session-id></hello>"
        )
        waiting = ""
        while True:
            data = await self._process.stdin.read(_CHUNK)
            if not data:
                return
            waiting += data
            while END in waiting:
                message, _, waiting = waiting.partition(END)
                if not await self._message(message):
                    return

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
        await self._strike(label)
        try:
            with self._stand_in.lock:
                inner = self._stand_in.answer(operation, label, self.number)
        except JunosError as error:
            inner = error_xml(error)
        number = root.get("message-id", "")
        await self._write(
            f'<rpc-reply xmlns="{_BASE}" xmlns:junos="http://xml.juniper.net/junos/23.4X100/junos"'
            f' message-id="{escape(number)}">{inner}</rpc-reply>'
        )
        if not self._stand_in.reachable:
            raise CutError
        return operation.tag != "close-session"

    async def _strike(self, label: str) -> None:
        """Apply the faults that come before an operation."""
        stand_in = self._stand_in
        stand_in.clock.run_due()
        fault = stand_in.faults.strike(label, "cut_at_byte", "cut_at_command", "hang", "reboot")
        slow = stand_in.faults.strike(label, "slow")
        stand_in.strike_identity(label)
        if stand_in.faults.strike(label, "expire_timer"):
            stand_in.expire_timers()
        if slow is not None:
            await asyncio.sleep(slow.seconds)
        await pour(stand_in.faults, label, self._process.stdout.write, self._process.stdout.drain)
        if fault is None:
            return
        match fault.kind:
            case "cut_at_byte":
                self._left = fault.count
            case "hang":
                await asyncio.Event().wait()
            case "reboot":
                stand_in.reboot(fault.seconds)
                raise CutError
            case _:
                raise CutError

    async def _write(self, text: str) -> None:
        data, cut = f"{text}\n{END}\n", False
        if self._left is not None:
            encoded = data.encode()
            cut = len(encoded) > self._left
            data = encoded[: self._left].decode("utf-8", "ignore")
            self._left -= min(self._left, len(encoded))
        self._process.stdout.write(data)
        await self._process.stdout.drain()
        if cut:
            raise CutError


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
