"""The trusted certificate is the switch's own: an authority given as ``trust`` vouches for none."""

from __future__ import annotations

import datetime as dt
import ipaddress
import ssl
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import ClassVar

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from fabric.core.errors import ConnectionLostError
from fabric.devices.driver import Connection
from fabric.devices.https import OtherCertificateError, PinnedConnection, pinned_der
from fabric.systems.eos.drivers import EosDriver
from fabric.systems.nxos.drivers import NxosDriver
from fabric.systems.nxos.drivers.client import PinnedClient


def signed(name, issuer=None):
    """Return a certificate and its key; without an issuer it is an authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = dt.datetime.now(dt.UTC)
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    made = (
        x509
        .CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer[0].subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .sign(issuer[1] if issuer else key, hashes.SHA256())
    )
    return made, key


def pem(certificate):
    return certificate.public_bytes(serialization.Encoding.PEM).decode()


WITHOUT_LENGTH = "/without-length"


class Seen(BaseHTTPRequestHandler):
    """Answers nothing of use, and notes that it was asked."""

    asked: ClassVar[list] = []

    def do_POST(self):
        """Note who asks."""
        self.asked.append(self.headers.get("Authorization"))
        self.send_response(200)
        if self.path != WITHOUT_LENGTH:
            self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_words):
        """Say nothing."""


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A server whose certificate an authority has signed: its port, its certificate, the other."""
    authority = signed("authority")
    own, key = signed("leaf1", authority)
    file = tmp_path_factory.mktemp("key") / "leaf.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    file.write_bytes(private + pem(own).encode())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    server = HTTPServer(("127.0.0.1", 0), Seen)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_address[1], pem(own), pem(authority[0])
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def asked():
    Seen.asked.clear()
    return Seen.asked


def reach(served, trust):
    return Connection("leaf1", "x", "127.0.0.1", served[0], "admin", "hunter2", trust)


@pytest.mark.parametrize("driver", [EosDriver, NxosDriver])
@pytest.mark.fault(15)
def test_an_authority_is_not_enough(served, asked, driver):
    with pytest.raises(ConnectionLostError, match="certificate|[Ff]ingerprint"):
        driver(reach(served, served[2])).open()
    assert asked == [], "nothing was sent, the password least of all"


@pytest.mark.parametrize("driver", [EosDriver, NxosDriver])
@pytest.mark.parametrize("trust", ["nonsense", "both"])
def test_what_is_not_one_certificate_is_said(served, asked, driver, trust):
    text = served[1] + served[2] if trust == "both" else trust
    with pytest.raises(ConnectionLostError, match="'trust' must be one certificate as PEM"):
        driver(reach(served, text)).open()
    assert asked == []


def test_its_own_certificate_is_enough(served, asked):
    own = PinnedConnection("127.0.0.1", served[0], path="/", trust=served[1], timeout_s=30)
    own.request("POST", "/", b"")
    assert own.getresponse().read() == b"{}"
    own.close()
    client = PinnedClient(reach(served, served[1]))
    assert client._send_request(["show version"], "cli").text == "{}"
    client.close()
    assert len(asked) == 2


@pytest.mark.parametrize("path", ["/", WITHOUT_LENGTH])
def test_an_answer_that_was_read_is_closed(served, path):
    own = PinnedConnection("127.0.0.1", served[0], path=path, trust=served[1], timeout_s=30)
    own.request("POST", path, b"")
    answer = own.getresponse()
    assert answer.read() == b"{}"
    assert answer.isclosed()
    own.close()


def test_an_address_of_ipv6_stands_in_brackets():
    own = PinnedConnection("2001:db8::1", 443, path="/command-api", trust="", timeout_s=30)
    assert str(own) == "https://[2001:db8::1]:443/command-api"
    assert own.host == "2001:db8::1"


def test_errors_name_the_field(served):
    other = PinnedConnection("127.0.0.1", served[0], path="/", trust=served[2], timeout_s=30)
    with pytest.raises(OtherCertificateError, match="not the one given as 'trust'"):
        other.connect()
    with pytest.raises(OtherCertificateError, match="not the one given as 'trust'"):
        PinnedClient(reach(served, served[2]))._send_request(["show version"], "cli")
    assert pinned_der(" \n") == b""
