"""Base of the stand-ins whose API is JSON-RPC over HTTPS: eAPI and NX-API."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import TYPE_CHECKING, Any, ClassVar

from fabric.lab.faults import FaultScript
from fabric.lab.https.server import (
    Certificate,
    HttpsServer,
    Reply,
    SessionCutError,
    SessionHungError,
    SessionPouredError,
    is_authentic,
)
from fabric.lab.standin import Cabled

if TYPE_CHECKING:
    from fabric.lab.clock import LabClock
    from fabric.lab.faults import Fault, FaultKind
    from fabric.lab.https.server import Request
    from fabric.lab.lines.tree import Section
    from fabric.lab.spec import StandInSpec


class HttpsStandIn(Cabled):
    """A switch that is reached over HTTPS on the loopback address.

    Parameters
    ----------
    spec : StandInSpec
        Who it is.
    clock : LabClock
        Runs uptime and timers.

    Attributes
    ----------
    state : Any
        Memory of the switch: trees ``running`` and ``startup``, ``reboot`` and ``booted_s``.
    path, realm, denial : str
        Where calls are taken, and what a wrong password is answered with.
    """

    state: Any
    path: ClassVar[str]
    realm: ClassVar[str]
    denial: ClassVar[str] = ""

    def __init__(self, spec: StandInSpec, clock: LabClock) -> None:
        super().__init__(spec)
        self.faults = FaultScript()
        self.address = "127.0.0.1"
        self.port = 0
        self.clock = clock
        self.lock = threading.RLock()
        self._certificate = Certificate(spec.name)
        self._server = HttpsServer(self._certificate, self.answer)

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the DER certificate, as ``SHA256:<hex>``."""
        return self._certificate.fingerprint

    @property
    def trust(self) -> str:
        """The certificate itself, for a client that pins it."""
        return self._certificate.pem

    async def start(self) -> None:
        """Listen on a free port of the loopback address."""
        self.port = await self._server.start(self.address)

    async def stop(self) -> None:
        """Close all connections and the listener."""
        await self._server.stop()

    async def answer(self, request: Request) -> Reply:
        """Answer a request; a switch whose API is configured away drops the connection."""
        if not self.is_reachable():
            raise SessionCutError
        known = self.is_known()
        if not known or not is_authentic(request, self.spec.username, self.spec.password):
            header = f'WWW-Authenticate: Basic realm="{self.realm}"\r\n'
            return Reply("401 Unauthorized", self.denial.encode(), header=header)
        if request.path != self.path:
            return Reply("404 Not Found", b"{}")
        if request.method != "POST":
            return Reply("405 Method Not Allowed", b"{}")
        try:
            calls = json.loads(request.body)
        except ValueError:
            calls = None
        answer, cut_after = await self.run(calls)
        return Reply("200 OK", json.dumps(answer).encode(), cut_after)

    # -- configuration ---------------------------------------------------------------------------

    @property
    def running_text(self) -> str:
        """The running configuration as text, without the comment lines above it."""
        with self.lock:
            return self.text_of(self.state.running)

    @property
    def startup_text(self) -> str:
        """The startup configuration as text, without the comment lines above it."""
        with self.lock:
            return self.text_of(self.state.startup)

    def hand_edit(self, lines: str) -> None:
        """Change the running configuration as a person at the console would.

        Raises
        ------
        ValueError
            When a line is refused; the lines before it are applied.
        """
        with self.lock:
            self.edit(self.state.running, lines)

    # -- faults ----------------------------------------------------------------------------------

    def strike(self, command: str, *kinds: FaultKind) -> Fault | None:
        """Return the fault of these kinds that strikes at a command."""
        return self.faults.strike(command, *kinds)

    async def strike_before(self, command: str) -> int | None:
        """Apply the faults that come before a command; return where to cut the answer."""
        slow = self.strike(command, "slow")
        if slow is not None:
            await asyncio.sleep(slow.seconds)
        if self.armed and self.strike(command, "expire_timer"):
            with self.lock:
                self.expire_timer()
        poured = self.strike(command, "drip", "endless")
        if poured is not None:
            raise SessionPouredError(poured)
        if self.strike(command, "hang"):
            raise SessionHungError
        if self.strike(command, "cut_at_command"):
            raise SessionCutError
        reboot = self.strike(command, "reboot")
        if reboot is not None:
            with self.lock:
                self.state.reboot()
            at_s = self.clock.now_s() + reboot.seconds
            await self._server.leave(
                self.address, self.port, lambda: self.clock.now_s() >= at_s, self._booted
            )
            raise SessionCutError
        cut = self.strike(command, "cut_at_byte")
        return None if cut is None else cut.count

    def kept_lines(self, commands: list[str]) -> list[int]:
        """Return how many lines of a request count, as a list of one; empty for all."""
        fault = self.faults.strike("\n".join(commands), "accept_part")
        return [fault.count] if fault else []

    # -- what a system adds ----------------------------------------------------------------------

    async def run(self, calls: Any) -> tuple[Any, int | None]:
        """Run what a client sent; return the answer, and where to cut it."""
        raise NotImplementedError

    def is_reachable(self) -> bool:
        """Tell whether the configuration lets anybody connect."""
        return True

    def is_known(self) -> bool:
        """Tell whether the configuration lets the account log in."""
        return True

    @property
    def armed(self) -> bool:
        """Whether a timer runs that a fault can end."""
        raise NotImplementedError

    def expire_timer(self) -> None:
        """Let the timer run out now."""

    def text_of(self, tree: Section) -> str:
        """Return a configuration as text."""
        raise NotImplementedError

    def edit(self, tree: Section, lines: str) -> None:
        """Apply lines to a configuration."""
        raise NotImplementedError

    def _booted(self) -> None:
        self.state.booted_s = self.clock.now_s()
