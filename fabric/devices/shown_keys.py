"""The key that a device shows to whoever asks: of SSH, or its certificate."""

from __future__ import annotations

import socket
import ssl
from contextlib import closing
from typing import TYPE_CHECKING

from fabric.core.errors import ConnectionLostError
from fabric.devices import limits
from fabric.devices.clients import client_module

if TYPE_CHECKING:
    from fabric.devices.driver import Connection


def shown_key(connection: Connection, *, is_https: bool) -> str:
    """Return the trust of a device as a connections file has it; nothing is sent to it.

    Parameters
    ----------
    is_https : bool
        Whether it is reached by HTTPS.

    Raises
    ------
    ConnectionLostError
        When it does not answer, or not with a key.
    """
    try:
        return (_certificate if is_https else _host_key)(connection.address, connection.port)
    except (OSError, EOFError, ValueError) as error:
        message = f"no key from {connection.address}:{connection.port}: {error or 'it ends'}"
        raise ConnectionLostError(connection.device, message) from error


def _host_key(address: str, port: int) -> str:
    paramiko = client_module("paramiko")
    plain = socket.create_connection((address, port), limits.CONNECT_S)
    with closing(plain), closing(paramiko.Transport(plain)) as transport:
        try:
            transport.start_client(timeout=limits.LOGIN_S)
        except paramiko.SSHException as error:
            raise ValueError(str(error)) from error
        key = transport.get_remote_server_key()
        return f"{key.get_name()} {key.get_base64()}"


def _certificate(address: str, port: int) -> str:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with (
        socket.create_connection((address, port), limits.CONNECT_S) as plain,
        context.wrap_socket(plain) as secure,
    ):
        content = secure.getpeercert(binary_form=True)
    if not content:
        raise ValueError("it shows no certificate")
    return ssl.DER_cert_to_PEM_cert(content)
