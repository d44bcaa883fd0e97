"""The fabric's own authority: who checks its server, what stays private, and who gets it."""

from __future__ import annotations

import json
import socket
import ssl
import stat
import subprocess
import threading
from pathlib import Path

import pytest

from fabric.boot import authority
from fabric.core.errors import InputError
from fabric.core.exports import export, exporters
from tests.boot.fabrics import HASH, URL, boot
from tests.cli.runs import run

HOST, TLS_URL = "127.0.0.1", "https://192.168.0.2:8443"


def shake(certificate: Path, key: Path, ca: Path, host: str = HOST) -> str:
    """Return why a client does not accept a server; empty where it does."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    client = ssl.create_default_context(cafile=ca)
    client.verify_flags |= ssl.VERIFY_X509_STRICT
    ends = socket.socketpair()

    def serve() -> None:
        try:
            context.wrap_socket(ends[0], server_side=True).close()
        except OSError:
            ends[0].close()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        client.wrap_socket(ends[1], server_hostname=host).close()
    except ssl.SSLError as error:
        return str(error)
    finally:
        ends[1].close()
        thread.join()
    return ""


def test_a_client_that_has_it_accepts_the_server_and_no_other(tmp_path: Path) -> None:
    mine, other = tmp_path / "mine", tmp_path / "other"
    files = authority.server_files(mine, HOST)
    authority.server_files(other, HOST)
    assert shake(*files, mine / "ca.pem") == ""
    assert "certificate verify failed" in shake(*files, other / "ca.pem")
    assert "IP address mismatch" in shake(*files, mine / "ca.pem", "192.0.2.1")
    before = (mine / "ca.pem").read_bytes()
    again = authority.server_files(mine, HOST)  # the server began anew, devices keep the authority
    assert (mine / "ca.pem").read_bytes() == before
    assert shake(*again, mine / "ca.pem") == ""
    said = subprocess.run(
        ["openssl", "verify", "-x509_strict", "-CAfile", mine / "ca.pem", again[0]],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert said.stdout.endswith("server.pem: OK\n"), said


def test_keys_are_for_the_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "ca"
    authority.server_files(folder, HOST)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert modes == {
        "ca.pem": 0o644,
        "ca-key.pem": 0o600,
        "server.pem": 0o644,
        "server-key.pem": 0o600,
    }
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def _swap_key(folder: Path) -> None:
    (folder / "ca-key.pem").write_bytes((folder / "server-key.pem").read_bytes())


DAMAGE = {
    "open to others": (lambda folder: (folder / "ca-key.pem").chmod(0o640), "others can read"),
    "no key": (lambda folder: (folder / "ca-key.pem").unlink(), "No such file"),
    "another key": (_swap_key, "is not the key of ca.pem"),
    "no PEM": (lambda folder: (folder / "ca.pem").write_text("x"), "no authority in PEM"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_one_is_refused_and_stays(tmp_path: Path, name: str) -> None:
    damage, message = DAMAGE[name]
    folder = tmp_path / "ca"
    authority.server_files(folder, HOST)
    secret = (folder / "ca-key.pem").read_text().splitlines()[1]
    damage(folder)
    before = {path: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(InputError) as caught:
        authority.server_files(folder, HOST)
    said = f"{caught.value} {[str(one) for one in caught.value.findings]}"
    assert message in said
    assert secret not in said
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_stopped_between_key_and_certificate_it_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = authority.write_whole

    def stop(path: Path, content: bytes, mode: int | None = None) -> None:
        if path.name == "ca.pem":
            raise KeyboardInterrupt
        write(path, content, mode)

    with monkeypatch.context() as patch:
        patch.setattr(authority, "write_whole", stop)
        with pytest.raises(KeyboardInterrupt):
            authority.ca_text(tmp_path / "ca")
    files = authority.server_files(tmp_path / "ca", HOST)
    assert shake(*files, tmp_path / "ca" / "ca.pem") == ""


def test_sonic_gets_it_first_and_the_rest_by_https(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROCEFAB_SECRET_BOOT", HASH)
    (tmp_path / "inventory").mkdir()
    words = {"hashes": ("env:boot",), "tls_url": TLS_URL, "own_ca": tmp_path / "ca"}
    made = export(boot(tmp_path / "inventory", **words), exporters["ztp"])
    files = {item.path: item.text for item in made.files}
    sections = json.loads(files["http/su1-rail0.json"])["ztp"]
    assert sorted(sections) == ["00-authority", "01-account", "02-configdb-json"]
    assert sections["00-authority"]["plugin"]["url"] == f"{URL}/su1-rail0-ca.sh"
    secure = {"curl-arguments": "--cacert /host/ztp/rocefab-ca.pem"}
    assert sections["01-account"]["plugin"]["url"] == {
        "source": f"{TLS_URL}/su1-rail0.sh",
        **secure,
    }
    assert sections["02-configdb-json"]["url"]["source"] == f"{TLS_URL}/su1-rail0-config_db.json"
    assert [str(one) for one in made.notes if "HTTP" in one.message] == [
        "Arista EOS fetches all by HTTP: nothing gives it an authority before its file [ZTP003]"
    ]
    assert TLS_URL not in files["http/spine01.cfg"]
    assert not [path for path, text in files.items() if "PRIVATE" in text]

    script = files["http/su1-rail0-ca.sh"].replace("/host/ztp", str(tmp_path / "ztp"))
    subprocess.run(["/bin/sh", "-c", script], check=True)
    stored = (tmp_path / "ztp" / "rocefab-ca.pem").read_text()
    assert stored == (tmp_path / "ca" / "ca.pem").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"tls_url": TLS_URL}, "add --tls-url and --own-ca"),
        ({"tls_url": "http://192.168.0.2:8443", "own_ca": Path("ca")}, "begins with https://"),
        ({"own_ca": Path("ca")}, "add --tls-url and --own-ca"),
    ],
    ids=["no authority", "no TLS", "no address"],
)
def test_half_of_it_is_refused(tmp_path: Path, words: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as caught:
        boot(tmp_path, **words)
    assert message in str(caught.value.findings[0])


def test_a_server_has_an_address(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        authority.server_files(tmp_path / "ca", "0.0.0.0")
    assert "listen on the management address" in str(caught.value.findings[0])


def test_it_is_for_boot_files_alone(tmp_path: Path) -> None:
    ended = run("serve", "inventory/demo", "--own-ca", tmp_path / "ca")
    assert ended.code == 2
    assert "add --ztp" in ended.err
    assert not (tmp_path / "ca").exists()
