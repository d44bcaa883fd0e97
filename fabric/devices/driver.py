"""What every driver offers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, cast

from fabric.core.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fabric.devices.secrets import Reference


@dataclass(frozen=True, slots=True)
class Connection:
    """How to reach one device.

    Parameters
    ----------
    device : str
        Name in the inventory.
    platform : str
        Platform name; ``host`` for hosts.
    address, port : str, int
        Where it listens.
    username, password : str
        Login; an empty password means the SSH agent or ``key_file``. It is never printed.
    trust : str
        SSH: the host key as a public key line; eAPI: the certificate as PEM. Empty means that the
        system's known hosts or certificate authorities decide. Unknown keys are refused.
    key_file : str
        Private key for SSH; empty means the agent alone.
    gnmi_port : int
        Where gNMI listens; 0 where the device is not read by it.
    gnmi_trust, gnmi_name : str
        Certificate or authorities of gNMI as PEM, and the name in the certificate where it is not
        the address.
    secret : Reference or None
        Where the password is asked for when a session opens.
    """

    device: str
    platform: str
    address: str
    port: int
    username: str
    password: str = field(default="", repr=False)
    trust: str = field(default="", repr=False)
    key_file: str = ""
    gnmi_port: int = 0
    gnmi_trust: str = field(default="", repr=False)
    gnmi_name: str = ""
    secret: Reference | None = None


@dataclass(frozen=True, slots=True)
class Identity:
    """Who answered."""

    hostname: str
    serial: str = ""
    mac: str = ""


class Driver(Protocol):
    """One session with one device.

    A change is named by a token that the caller made and wrote down first: with it, another
    process can confirm the change or roll it back. Of the types of `candidate.Candidate` a driver
    takes the one that the adapter of its system makes.
    """

    connection: Connection

    def __init__(self, connection: Connection) -> None: ...

    def open(self) -> None:
        """Open the session; raises ConnectionLostError."""

    def close(self) -> None:
        """Close the session; never raises."""

    def cut(self) -> None:
        """Break the session off from another thread: nothing more is sent, nobody waits.

        A change that waits for its confirmation is not touched.
        """

    def identify(self) -> Identity:
        """Return who answers."""

    def read_running(self, files: Sequence[str]) -> Mapping[str, str]:
        """Return raw texts of the running state by name.

        ``config`` is the running configuration, ``startup`` the saved one, ``file:PATH`` the
        content of each asked file that exists.
        """

    def read_state(self, subjects: Sequence[str]) -> Mapping[str, str]:
        """Return raw texts of operational state by subject, such as ``bgp`` or ``lldp``."""

    def foreign_sessions(self) -> Sequence[str]:
        """Return what somebody else has under way on the device."""

    def preview(self, candidate: Any) -> str:
        """Return the device's own diff for a candidate, or ``""`` where it makes none."""

    def missing_timer(self) -> str:
        """Return why no timer rolls an unconfirmed change back; empty where one does.

        Asking changes nothing.
        """

    def stage(self, candidate: Any, token: str) -> None:
        """Bring the candidate onto the device without effect."""

    def commit(self, candidate: Any, token: str, timer_s: int) -> None:
        """Put the staged candidate into force and arm its undoing in ``timer_s`` seconds.

        ``timer_s`` is 0 where `missing_timer` gives a reason and the user goes on without one, and
        for what is never undone.
        """

    def pending(self, token: str) -> bool:
        """Tell whether the change waits for its confirmation."""

    def confirm(self, token: str) -> None:
        """Stop the timer: the change stays."""

    def conclude(self, token: str) -> None:
        """Forget a change that was put into force without a timer: it stays."""

    def rollback(self, token: str) -> None:
        """Roll an unconfirmed change back now."""

    def save(self) -> None:
        """Make the running configuration the one that survives a reboot."""


drivers: Registry[type[Driver]] = Registry("driver", plugins="drivers")


class RouteDriver(Protocol):
    """What a driver has beside `Driver` whose system is asked for single routes."""

    def read_route(self, vrf: str, prefix: str) -> str:
        """Return what the system says of the route to a prefix in a VRF."""


class ScriptNet(Protocol):
    """What a driver has beside `Driver` whose safety net is a script of ours on the device."""

    def disarm(self, token: str) -> None:
        """Remove the safety net of a change that was undone by other means, and read back."""

    def undo_command(self, token: str) -> str:
        """Return what a person types on the device to roll back a change."""

    def has_undo(self, token: str) -> bool:
        """Tell whether what `undo_command` runs is on the device."""

    def folders(self) -> Sequence[str]:
        """Return the changes of which something lies on the device, with or without a net."""

    def forget(self, token: str) -> None:
        """Remove what lies there of a change that has no net."""


def script_net(driver: Driver) -> ScriptNet | None:
    """Return the driver as one whose net is a script of ours; None where the system has its own."""
    own = getattr(driver, "undone_by_script", False)
    return cast("ScriptNet", driver) if own else None


#: How the names of our changes begin.
OWN_TOKEN = "rocefab-run-"  # noqa: S105 - a name
TOKEN = re.compile(r"rocefab-[a-z0-9-]{1,48}")


def checked_token(token: str) -> str:
    """Return a change token that is safe as a session, unit and file name.

    Raises
    ------
    ValueError
        When it is not.
    """
    if not TOKEN.fullmatch(token):
        raise ValueError(f"{token!r} is not a change token")
    return token
