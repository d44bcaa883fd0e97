"""Errors of a login say what to do."""

from __future__ import annotations

import socket

import pytest
from netmiko.exceptions import NetmikoAuthenticationException, NetmikoTimeoutException
from paramiko.ssh_exception import AuthenticationException, BadHostKeyException, SSHException

from fabric.core.errors import DeviceError, IdentityMismatchError
from fabric.devices.login import login_reason
from fabric.workflow.devices import fail_on, grouped


def _met(error: Exception, of: Exception) -> Exception:
    error.__context__ = of
    return error


def _prose(first: str) -> Exception:
    """Return what netmiko raises: its advice, and the address in the last line."""
    causes = "Common causes of this problem are:\n1. Incorrect hostname or IP address."
    return NetmikoTimeoutException(f"{first}\n\n{causes}\n\nDevice settings: linux 127.0.0.1:33\n")


CLOSED = "it closed the connection during the login; check its limit of sessions, and try again"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (NetmikoAuthenticationException("Common causes of this problem are"), "login is rejected"),
        (AuthenticationException("denied"), "set ROCEFAB_PASSWORD"),
        (SSHException("No authentication methods available"), "set ROCEFAB_PASSWORD"),
        (socket.gaierror(-2, "Name or service not known"), "set address in the connections file"),
        (_met(OSError("Socket error"), socket.gaierror(-2, "Name")), "set address in"),
        (ConnectionRefusedError(111, "refused"), "connection rejected; check address and port"),
        (OSError(101, "Network is unreachable"), "no route to it; check address and routes"),
        (TimeoutError("timed out"), "no answer; check address, route and firewall"),
        (EOFError(), "it closed the connection"),
        (_met(SSHException("Error reading SSH protocol banner"), EOFError()), CLOSED),
        (
            _met(SSHException("Error reading SSH protocol banner"), TimeoutError()),
            "no answer; check",
        ),
        (SSHException('Indecipherable protocol version "HTTP/1.1"'), "is not SSH; check the port"),
        (AuthenticationException("Authentication timeout."), "no answer; check address"),
        (
            _met(_prose("TCP connection to device failed."), ConnectionResetError(104, "reset")),
            CLOSED,
        ),
        (_met(_prose("TCP connection to device failed."), OSError("Socket is closed")), CLOSED),
        (_met(_prose("TCP connection to device failed."), TimeoutError("timed out")), "no answer;"),
        (_met(_prose("A paramiko SSHException occurred:"), SSHException("No kex\n")), "No kex"),
    ],
    ids=lambda one: type(one).__name__ if isinstance(one, Exception) else "",
)
def test_a_known_error_says_what_to_do(error: Exception, words: str) -> None:
    assert words in login_reason(error)
    assert "Common causes" not in login_reason(error)


@pytest.mark.parametrize(
    "error", [SSHException("wrong host key"), OSError("a broken pipe"), ValueError("port")]
)
def test_another_error_speaks_for_itself(error: Exception) -> None:
    assert login_reason(error) == ""


def test_a_wrong_host_key_is_no_rejected_login() -> None:
    assert issubclass(BadHostKeyException, SSHException)
    assert login_reason(SSHException("Host key for server 'x' does not match")) == ""


def test_like_reasons_are_one_line() -> None:
    reasons = {"leaf1": "no answer", "leaf3": "rejected", "leaf2": "no answer"}
    assert grouped(reasons) == [("leaf[1-2]", "no answer"), ("leaf3", "rejected")]
    with pytest.raises(DeviceError) as caught:
        fail_on([DeviceError(device, reason) for device, reason in reasons.items()])
    assert str(caught.value) == "leaf[1-2]: no answer"
    assert caught.value.__notes__ == ["leaf3: rejected"]


def test_a_single_error_keeps_its_kind() -> None:
    fail_on([])
    with pytest.raises(IdentityMismatchError):
        fail_on([IdentityMismatchError("leaf1", "serial number is 'x'")])
