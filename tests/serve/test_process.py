"""`rocefab serve` as a user runs it: start, reload, stop, and what stops it from starting."""

from __future__ import annotations

import signal
import ssl
import threading

import pytest

from tests.cli.runs import DEMO, process
from tests.serve import servers
from tests.serve.servers import copy_of_demo
from tests.waiting import until, write_whole


def test_process_answers_stops_and_keeps_its_state(tmp_path) -> None:
    words = (DEMO, "--state", tmp_path / "state")
    with servers.process(tmp_path, *words) as running:
        client = running.client
        assert client.post("/v1/placements", json={"nodes": 2}).status_code == 200
        job = client.post("/v1/jobs", json={"name": "a", "hosts": "gpu001"})
        assert job.status_code == 201
        twice = process("serve", *words, "--listen", "127.0.0.1:0")
        assert (twice.code, "another `rocefab serve`" in twice.err) == (2, True)
        assert process("serve", *words, "--check").out.startswith("ready to serve demo, 4 hosts")
        running.process.kill()
        running.process.wait()
    with servers.process(tmp_path, *words) as running:
        assert running.client.get("/v1/jobs").json()["total"] == 1
        with running.client.stream("GET", "/v1/events") as answer:
            lines = answer.iter_lines()
            assert next(lines) == ": rocefab"
            running.process.send_signal(signal.SIGTERM)
            assert list(lines) == [""]
        assert running.process.wait(60) == 0
    log = running.log()
    assert [one["path"] for one in log] == ["/v1/jobs", "/v1/events"]
    assert set(log[0]) == {"time", "client", "method", "path", "status", "ms"}


def test_reload_loses_no_request_and_keeps_what_is_right(tmp_path) -> None:
    import httpx

    inventory = copy_of_demo(tmp_path)
    file = inventory / "fabric.yaml"
    text = file.read_text()
    words = (inventory, "--state", tmp_path / "state", "--rate", 0)
    with servers.process(tmp_path, *words) as running:
        codes: list[int] = []
        is_done = threading.Event()

        def ask() -> None:
            with httpx.Client(base_url=running.client.base_url, trust_env=False) as client:
                while not is_done.is_set():
                    codes.append(client.post("/v1/placements", json={"nodes": 2}).status_code)

        asking = threading.Thread(target=ask)
        asking.start()
        try:
            write_whole(file, text.replace("name: demo", "name: renamed", 1))
            until(lambda: _ready(running)["fabric"] == "renamed", "the new inventory is loaded")
            write_whole(file, "nonsense: [")
            until(lambda: _ready(running)["status"] == "degraded", "the wrong one is noticed")
            ready = _ready(running)
            assert ready["fabric"] == "renamed"
            (finding,) = ready["inventory"]["findings"]
            assert finding["file"].endswith("fabric.yaml")
            assert finding["line"] == 1
            assert finding["message"]
            assert finding["fix"] not in finding["message"]
            placed = running.client.post("/v1/placements", json={"nodes": 2}).json()
            assert placed["warnings"]
            write_whole(file, text)
            running.process.send_signal(signal.SIGHUP)
            until(lambda: _ready(running)["status"] == "ok", "the right one is loaded")
            assert _ready(running)["fabric"] == "demo"
        finally:
            is_done.set()
            asking.join()
        assert set(codes) == {200}


def _ready(running: servers.Running) -> dict:
    return running.client.get("/readyz").json()


def test_tls_and_tokens(tmp_path) -> None:
    certificate, key = _certificate(tmp_path)
    tokens = tmp_path / "tokens"
    tokens.write_text(f"read {'r' * 40}\n")
    tokens.chmod(0o600)
    words = (DEMO, "--state", tmp_path / "state", "--tls-cert", certificate, "--tls-key", key)
    trusted = ssl.create_default_context(cafile=str(certificate))
    with servers.process(
        tmp_path, *words, verify=trusted, ROCEFAB_TOKEN_FILE=str(tokens)
    ) as running:
        assert running.client.get("/v1/fabric").status_code == 401
        headers = {"Authorization": f"Bearer {'r' * 40}"}
        assert running.client.get("/v1/fabric", headers=headers).status_code == 200
    assert "rrrr" not in running.out.read_text()


def _certificate(folder):
    import datetime as dt
    import ipaddress

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "rocefab")])
    now = dt.datetime.now(dt.UTC)
    alternative = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = (
        x509
        .CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(alternative, critical=False)
        .sign(key, hashes.SHA256())
    )
    paths = folder / "cert.pem", folder / "key.pem"
    paths[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    paths[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return paths


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--listen", "0.0.0.0:0"], "TLS is off"),
        (["--listen", "here"], "is not an address and a port"),
        (["--token-file", "/nowhere/tokens"], "cannot be read"),
        (["--tls-cert", "c.pem"], "a certificate needs its key"),
        (["--tls-cert", "README.md", "--tls-key", "README.md"], "cannot be used"),
        (["--state", "/proc/nowhere"], "cannot be written"),
    ],
    ids=str,
)
def test_what_is_wrong_ends_with_2_before_anything_listens(tmp_path, words, message: str) -> None:
    usual = ["--listen", "127.0.0.1:0", "--state", str(tmp_path)]
    ended = process("serve", str(DEMO), *usual, *words, "--check")
    assert ended.code == 2
    assert message in ended.err
    assert "[SRV0" in ended.err


def test_check_says_what_would_be_served(tmp_path) -> None:
    ended = process("serve", "inventory/demo", "--check")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("ready to serve demo, 4 hosts, state 0 in ")
    assert process("serve", str(tmp_path), "--check").code == 2


def test_missing_extra_is_named(tmp_path) -> None:
    (tmp_path / "uvicorn.py").write_text("raise ImportError('no', name='uvicorn')\n")
    ended = process(
        "serve", "inventory/demo", "--check", PYTHONPATH=f"{tmp_path}:{DEMO.parents[1]}"
    )
    assert ended.code == 2
    assert "install rocefab[service]" in ended.err
