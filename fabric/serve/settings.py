"""How the service listens, and its limits."""

from __future__ import annotations

import ipaddress
import re
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity

if TYPE_CHECKING:
    from pathlib import Path

    from fabric.serve.tokens import Tokens

_MAX_PORT = 65535


@dataclass(frozen=True)
class Limits:
    """What clients can take of the service.

    Parameters
    ----------
    body_bytes : int
        Largest body of a request.
    rate : float
        Requests of one client per second; 0 is no limit. As many may come at once.
    request_s : float
        Longest time of a request, body included.
    streams : int
        Clients of ``/v1/events`` at a time.
    waiting : int
        Slow requests that may wait for their turn; those of plans and runs, and all others, each.
    queued : int
        Searches for places, and changes of state and jobs, that may wait; each.
    uploads : int
        Plans that are being received at a time. Of these four a token gets a quarter.
    """

    body_bytes: int = 1 << 20
    rate: float = 1000.0
    request_s: float = 30.0
    streams: int = 256
    waiting: int = 32
    queued: int = 1024
    uploads: int = 8


@dataclass(frozen=True)
class Settings:
    """How the service listens.

    Parameters
    ----------
    host, port : str, int
        Address; port 0 takes a free one.
    tls_cert, tls_key : Path or None
        Certificate chain and private key, PEM.
    tokens : Tokens or None
        Who may do what; None lets everyone on this machine do all.
    watch_s : float
        How often the inventory folder and the files below are examined for changes.
    readings : Path or None
        File that `rocefab observe --out` appends to.
    journal : Path or None
        State folder of `rocefab apply`; None is that of the inventory.
    drift : Path or None
        Output of `rocefab drift --format json`, or the events of `rocefab drift --watch`.
    boot_log : Path or None
        Log of devices that start from the box.
    """

    host: str = "127.0.0.1"
    port: int = 8780
    tls_cert: Path | None = None
    tls_key: Path | None = None
    tokens: Tokens | None = None
    limits: Limits = field(default_factory=Limits)
    watch_s: float = 2.0
    readings: Path | None = None
    journal: Path | None = None
    drift: Path | None = None
    boot_log: Path | None = None


def parse_listen(text: str) -> tuple[str, int]:
    """Return the address and port of ``127.0.0.1:8780`` or ``[::1]:8780``.

    Raises
    ------
    InputError
        When it is neither.
    """
    match = re.fullmatch(r"(?:\[([0-9a-fA-F:.]+)\]|([0-9.]+)):([0-9]{1,5})", text)
    with suppress(ValueError):
        if match and int(match[3]) <= _MAX_PORT:
            return str(ipaddress.ip_address(match[1] or match[2])), int(match[3])
    message = f"{text[:80]!a} is not an address and a port"
    raise _wrong([("--listen", message, "use the form 127.0.0.1:8780 or [::1]:8780")])


def check(settings: Settings) -> None:
    """Raise InputError where others could read or change what the service knows.

    Beyond this machine it speaks TLS only, and only to those who have a token.
    """
    wrong = []
    if (settings.tls_cert is None) != (settings.tls_key is None):
        wrong.append(("--tls-cert", "a certificate needs its key", "specify both or none"))
    if not ipaddress.ip_address(settings.host).is_loopback:
        where = f"{settings.host} can be reached from other machines"
        if settings.tls_cert is None:
            fix = "specify --tls-cert and --tls-key, or listen on 127.0.0.1"
            wrong.append(("--listen", f"{where}, and TLS is off", fix))
        if settings.tokens is None:
            fix = "specify --token-file, or listen on 127.0.0.1"
            wrong.append(("--listen", f"{where}, and there are no tokens", fix))
    if wrong:
        raise _wrong(wrong)


def _wrong(items: list[tuple[str, str, str]]) -> InputError:
    findings = [
        Finding("SRV001", Severity.ERROR, message, fix, field=name) for name, message, fix in items
    ]
    return InputError("the service cannot listen", findings)
