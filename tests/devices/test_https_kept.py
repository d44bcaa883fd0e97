"""A connection stays open between requests; a request that may have arrived is not sent again."""

from __future__ import annotations

import socket
import ssl
import threading
from contextlib import suppress

import pytest

from fabric.devices import https
from fabric.devices.https import OtherCertificateError, PinnedConnection
from fabric.lab.https.server import Certificate

CERTIFICATE, OTHER = Certificate("leaf1"), Certificate("leaf2")
BYE = b"bye"


class Switch:
    """Answers requests, and closes connections as a request says it.

    A body ``lost`` ends the connection before an answer, ``part`` within it, ``bye`` behind it.
    """

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.connections: list[ssl.SSLSocket] = []
        self.closed = threading.Event()
        self.certificate = CERTIFICATE
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                plain, _ = self._listener.accept()
                context = self.certificate.context()
                with suppress(OSError), context.wrap_socket(plain, server_side=True) as connection:
                    self.connections.append(connection)
                    self._talk(connection)
                self.closed.set()

    def _talk(self, connection: ssl.SSLSocket) -> None:
        with connection.makefile("rb") as stream:
            while line := stream.readline():
                length = 0
                while line.strip():
                    name, _, value = line.partition(b":")
                    length = int(value) if name.lower() == b"content-length" else length
                    line = stream.readline()
                self.bodies.append(body := stream.read(length))
                if body.endswith(b"lost") and len(self.bodies) == 2:
                    return
                head = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"
                connection.sendall(head + (b"0123" if body.endswith(b"part") else b"0123456789"))
                if body.endswith((BYE, b"part")):
                    return

    def end(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()


@pytest.fixture
def switch():
    one = Switch()
    yield one
    one.end()


@pytest.fixture
def client(switch):
    one = PinnedConnection("127.0.0.1", switch.port, path="/", trust=CERTIFICATE.pem, timeout_s=30)
    yield one
    one.close()


def post(client, body, *, reads=False):
    return client.post(body, {}, reads=reads).body


def test_requests_share_a_connection(switch, client):
    assert [post(client, b"one"), post(client, b"two")] == [b"0123456789"] * 2
    assert switch.bodies == [b"one", b"two"]
    assert len(switch.connections) == 1


@pytest.mark.parametrize("reads", [True, False])
def test_a_closed_connection_is_opened_again(switch, client, reads):
    post(client, BYE)
    assert switch.closed.wait(30)
    assert post(client, b"two", reads=reads) == b"0123456789"
    assert switch.bodies == [BYE, b"two"], "each was sent once"
    assert len(switch.connections) == 2


def test_an_idle_connection_is_not_used(switch, client, monkeypatch):
    monkeypatch.setattr(https, "_IDLE_S", -1.0)
    post(client, b"one")
    post(client, b"two")
    assert len(switch.connections) == 2


@pytest.mark.fault(15)
def test_the_certificate_is_compared_at_each_opening(switch, client):
    post(client, b"one")
    switch.certificate = OTHER
    client.close()
    with pytest.raises(OtherCertificateError):
        post(client, b"two")
    assert switch.bodies == [b"one"]


def test_a_request_that_may_have_arrived_is_not_repeated(switch, client):
    post(client, b"one")
    with pytest.raises(ConnectionError):
        post(client, b"commit lost")
    assert switch.bodies == [b"one", b"commit lost"]
    assert post(client, b"three") == b"0123456789", "the next request has a connection of its own"


def test_a_reading_is_repeated_once(switch, client):
    post(client, b"one")
    assert post(client, b"show lost", reads=True) == b"0123456789"
    assert switch.bodies == [b"one", b"show lost", b"show lost"]


def test_a_reading_without_an_answer_on_a_new_connection_is_not_repeated(switch, client):
    post(client, b"one")
    client.close()
    with pytest.raises(ConnectionError):
        post(client, b"show lost", reads=True)
    assert switch.bodies == [b"one", b"show lost"]


def test_half_an_answer_is_none(switch, client):
    with pytest.raises(https.HTTPException):
        post(client, b"part")
    assert switch.bodies == [b"part"]


def test_after_a_cut_nothing_is_sent(switch, client):
    post(client, b"one")
    client.cut()
    for reads in (True, False):
        with pytest.raises(https.HTTPException, match="the session was cut"):
            post(client, b"two", reads=reads)
    assert switch.bodies == [b"one"]
    assert len(switch.connections) == 1
