"""A certificate authority of the tests, and certificates for 127.0.0.1."""

from __future__ import annotations

import ipaddress
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


class Authority:
    """Signs certificates; ``pem`` is what a client trusts."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test authority")])
        made = self._builder(self._name, self._key).add_extension(
            x509.BasicConstraints(ca=True, path_length=0), critical=True
        )
        self.pem = _pem(made.sign(self._key, hashes.SHA256())).decode()

    def _builder(self, name: x509.Name, key: ec.EllipticCurvePrivateKey):
        now = datetime.now(UTC)
        return (
            x509
            .CertificateBuilder()
            .subject_name(name)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=1))
        )

    def issued(self, *names: str) -> tuple[bytes, bytes]:
        """Return certificate and key; without names, for 127.0.0.1."""
        key = ec.generate_private_key(ec.SECP256R1())
        alternatives: list[x509.GeneralName] = [x509.DNSName(name) for name in names]
        if not names:
            alternatives = [x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "target")])
        made = self._builder(name, key).add_extension(
            x509.SubjectAlternativeName(alternatives), critical=False
        )
        plain = serialization.NoEncryption()
        key_form = serialization.PrivateFormat.PKCS8
        return (
            _pem(made.sign(self._key, hashes.SHA256())),
            key.private_bytes(serialization.Encoding.PEM, key_form, plain),
        )


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)
