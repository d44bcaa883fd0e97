"""The fabric's own certificate authority, and the certificate of the server of bootstrap files.

Form of both: RFC 5280, sections 4.2.1 (extensions) and 4.1.2 (serial number, validity).
"""

from __future__ import annotations

import ipaddress
import stat
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from fabric.core.errors import InputError
from fabric.core.file_kinds import FileKind
from fabric.core.files import write_whole
from fabric.core.findings import Finding, Severity
from fabric.core.user_files import read_bytes

if TYPE_CHECKING:
    from pathlib import Path

    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec

CA, CA_KEY, SERVER, SERVER_KEY = "ca.pem", "ca-key.pem", "server.pem", "server-key.pem"
#: Days that they are valid; our choice: the life of a fabric, and a server that is started again
#: each year at least.
_CA_DAYS, _SERVER_DAYS = 3650, 398
#: A switch from the box has no NTP yet, and its clock may be years behind; our choice.
_FIRST_DAY = datetime(2020, 1, 1, tzinfo=UTC)
_PRIVATE = 0o600
_USES = (
    *("digital_signature", "content_commitment", "key_encipherment", "data_encipherment"),
    *("key_agreement", "key_cert_sign", "crl_sign", "encipher_only", "decipher_only"),
)


class Authority(NamedTuple):
    """A certificate authority."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey


def authority(folder: Path) -> Authority:
    """Return the authority of a folder; it is made where there is none yet.

    Raises
    ------
    InputError
        When it cannot be read or written, its halves do not fit, or others can read its key.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not (folder / CA).exists():
            _make(folder)
        mode = (folder / CA_KEY).stat().st_mode
    except OSError as error:
        raise _refused(f"{error.filename}: {error.strerror}", "name another folder") from error
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        fix = f"chmod 600 {folder / CA_KEY}, or make a new authority if somebody read it"
        raise _refused(f"others can read {folder / CA_KEY}", fix)
    return _read(folder)


def ca_text(folder: Path) -> str:
    """Return the certificate of an authority, which is public, as PEM; it is made where needed."""
    from cryptography.hazmat.primitives.serialization import Encoding

    return authority(folder).certificate.public_bytes(Encoding.PEM).decode()


def server_files(folder: Path, host: str) -> tuple[Path, Path]:
    """Return the certificate of a server and its key, both new.

    Parameters
    ----------
    host : str
        Address that it listens on.
    """
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID

    address = ipaddress.ip_address(host)
    if address.is_unspecified:
        raise _refused(f"{host} is no address of a server", "listen on the management address")
    own, key = authority(folder), ec.generate_private_key(ec.SECP256R1())
    usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
    names = x509.SubjectAlternativeName([x509.IPAddress(address)])
    builder = (
        _builder(f"rocefab server {host}", key, own, _SERVER_DAYS)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage("digital_signature"), critical=True)
        .add_extension(usage, critical=False)
        .add_extension(names, critical=False)
    )
    return _written(folder, (SERVER, SERVER_KEY), builder, key, own.key)


def _make(folder: Path) -> None:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    builder = (
        _builder("rocefab boot authority", key, None, _CA_DAYS)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage("key_cert_sign", "crl_sign"), critical=True)
    )
    _written(folder, (CA, CA_KEY), builder, key, key)


def _builder(
    name: str, key: ec.EllipticCurvePrivateKey, issuer: Authority | None, days: int
) -> x509.CertificateBuilder:
    """Return what both certificates have; without an issuer it is its own."""
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    signer = issuer.key if issuer else key
    return (
        x509
        .CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer.certificate.subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(_FIRST_DAY)
        .not_valid_after(datetime.now(UTC) + timedelta(days=days))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False
        )
    )


def _usage(*uses: str) -> x509.KeyUsage:
    from cryptography import x509

    return x509.KeyUsage(**{use: use in uses for use in _USES})


def _written(
    folder: Path,
    names: tuple[str, str],
    builder: x509.CertificateBuilder,
    key: ec.EllipticCurvePrivateKey,
    signer: ec.EllipticCurvePrivateKey,
) -> tuple[Path, Path]:
    """Write the key, then the certificate: one that is there has its key."""
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    certificate, private = (folder / name for name in names)
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    write_whole(private, secret, _PRIVATE)
    write_whole(certificate, builder.sign(signer, hashes.SHA256()).public_bytes(Encoding.PEM))
    return certificate, private


def _read(folder: Path) -> Authority:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    fix = f"remove both {CA} and {CA_KEY}, and give devices the new authority"
    try:
        certificate = x509.load_pem_x509_certificate(read_bytes(folder / CA, FileKind.KEY))
        key = load_pem_private_key(read_bytes(folder / CA_KEY, FileKind.KEY), None)
    except (ValueError, TypeError) as error:  # the text could show a part of the key
        raise _refused(f"{folder} has no authority in PEM", fix) from error
    if (
        not isinstance(key, ec.EllipticCurvePrivateKey)
        or key.public_key() != certificate.public_key()
    ):
        raise _refused(f"{CA_KEY} is not the key of {CA} in {folder}", fix)
    if certificate.not_valid_after_utc < datetime.now(UTC):
        raise _refused(f"{folder / CA} is no longer valid", fix)
    return Authority(certificate, key)


def _refused(message: str, fix: str) -> InputError:
    finding = Finding("ZTP010", Severity.ERROR, message, fix, "--own-ca")
    return InputError("no certificate authority", [finding])
