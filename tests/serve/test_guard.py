"""Who may do what, and how much of it."""

from __future__ import annotations

import contextlib
import socket
import time

import pytest

from fabric.core.errors import InputError
from fabric.serve import protocol
from fabric.serve.guard import Buckets
from fabric.serve.scopes import ASKING
from fabric.serve.settings import Limits, Settings, check, parse_listen
from fabric.serve.tokens import Tokens
from tests.serve.servers import served
from tests.waiting import until, write_whole

READ, WRITE = "r" * 32, "w" * 32


@pytest.fixture
def tokens(tmp_path):
    return Tokens(_file(tmp_path, f"# two\nread {READ}\n\nwrite {WRITE} bob\n"))


def _file(folder, text: str, mode: int = 0o600):
    path = folder / "tokens"
    path.touch(mode)
    path.chmod(mode)
    write_whole(path, text)
    return path


def test_scopes(tmp_path, tokens, capsys) -> None:
    """Without a token nothing but the probes; `read` asks; `write` does all."""
    with served(tmp_path / "state", tokens=tokens) as client:
        document = client.get("/openapi.json", headers=_bearer(READ)).json()
        for path, operations in document["paths"].items():
            for method in operations:
                url = path.replace("{form}", "dot").replace("{name}", "x")
                if url in {"/healthz", "/readyz", "/"}:
                    assert client.get(url).status_code == 200
                    continue
                if url.startswith("/page/"):
                    assert client.get(url).status_code == 404  # of another version, for everyone
                    continue
                if url == "/v1/events":
                    continue
                codes = [
                    client.request(method, url, headers=headers).status_code
                    for headers in ({}, _bearer("x" * 32), _bearer(READ), _bearer(WRITE))
                ]
                asks = method == "get" or url in ASKING
                assert codes[:2] == [401, 401], url
                assert (codes[2] == 403) is not asks, (method, url, codes)
                assert codes[3] not in {401, 403}, url
        refused = client.get("/v1/state")
        assert refused.headers["www-authenticate"] == "Bearer"
    assert READ not in capsys.readouterr().out


#: What browsers send with a request: its site, its origin, and whether it is answered.
SITES = {
    "a program": ({}, True),
    "the page": ({"Sec-Fetch-Site": "same-origin", "Origin": "{own}"}, True),
    "the page, an old browser": ({"Origin": "{own}"}, True),
    "another site": ({"Sec-Fetch-Site": "cross-site", "Origin": "https://example.org"}, False),
    "another port": ({"Sec-Fetch-Site": "same-site", "Origin": "http://127.0.0.1:1"}, False),
    "a sandbox": ({"Origin": "null"}, False),
    "another site, an old browser": ({"Origin": "http://example.org"}, False),
}


@pytest.mark.parametrize("name", SITES)
def test_a_page_of_another_site_changes_nothing(own, name: str) -> None:
    headers, is_answered = SITES[name]
    address = str(own.base_url).rstrip("/")
    sent = {key: value.replace("{own}", address) for key, value in headers.items()}
    for method, url, body in (
        ("post", "/v1/placements", {"nodes": 1}),
        ("put", "/v1/state", {"conditions": {}}),
        ("delete", "/v1/jobs/none", None),
    ):
        answer = own.request(method, url, json=body, headers=sent)
        assert (answer.status_code == 403) is not is_answered, (url, answer.text)
    assert own.get("/v1/fabric", headers=sent).status_code == 200


def test_every_answer_has_the_headers_that_browsers_heed(shared) -> None:
    for url in ("/", "/v1/map", "/v1/none", "/page/x/app.js"):
        headers = shared.get(url).headers
        policy = headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"


def test_tokens_are_read_again_when_the_file_changes(tmp_path, tokens) -> None:
    path = tmp_path / "tokens"
    with served(tmp_path / "state", tokens=tokens, watch_s=0.02) as client:

        def code(token: str) -> int:
            return client.get("/v1/fabric", headers=_bearer(token)).status_code

        def ready(token: str = "n" * 32) -> dict:
            return client.get("/readyz", headers=_bearer(token)).json()

        assert (code(READ), code("n" * 32)) == (200, 401)
        write_whole(path, f"read {'n' * 32}\n")
        until(lambda: code("n" * 32) == 200, "the new token counts")
        assert code(READ) == 401
        write_whole(path, f"nonsense {'secret' * 9}\n")
        until(lambda: ready()["status"] == "degraded", "the wrong file is noticed")
        assert code("n" * 32) == 200
        assert "`SCOPES TOKEN`" in ready()["tokens"]["findings"][0]["message"]
        assert "secret" not in str(ready())
        path.unlink()
        until(lambda: "cannot be read" in str(ready()), "it is missing")
        _file(tmp_path, f"read {READ}\n")
        until(lambda: ready()["status"] == "ok", "the right one is read")
        assert (code(READ), code("n" * 32)) == (200, 401)


def test_head_of_a_request_has_a_limit_of_time(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(protocol, "HEAD_S", 0.5)
    whole = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with served(tmp_path) as client:
        address = ("127.0.0.1", client.base_url.port)
        for before, parts in {
            "nothing": (b"", []),
            "byte by byte": (b"", [b"%c" % byte for byte in whole[:-2]] * 9),
            "after a request": (whole, [b"GET /h"]),
            "line breaks after a request": (whole, [b"\r\n"] * 9),
        }.values():
            with socket.create_connection(address, 30) as slow:
                slow.sendall(before)
                if before:
                    assert slow.recv(9999, socket.MSG_PEEK).startswith(b"HTTP/1.1 200")
                    _read_until(slow, b"}")
                began_s = time.monotonic()
                with contextlib.suppress(ConnectionError):
                    for part in parts:
                        slow.sendall(part)
                        time.sleep(0.05)
                    assert slow.recv(1) == b""
                assert time.monotonic() - began_s < 20
        for _ in range(3):  # what comes in time is answered, however old the connection is
            assert client.get("/healthz").status_code == 200
            time.sleep(0.4)


def _read_until(connection: socket.socket, end: bytes) -> None:
    got = b""
    while not got.endswith(end):
        got += connection.recv(1)


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def test_page_of_elsewhere_cannot_use_the_browser_of_this_machine(shared) -> None:
    assert shared.get("/v1/state", headers={"Host": "localhost:1"}).status_code == 200
    answer = shared.get("/v1/state", headers={"Host": "rebound.example.net"})
    assert answer.status_code == 421


def test_rate_of_a_client_is_limited(tmp_path) -> None:
    with served(tmp_path, limits=Limits(rate=0.01)) as client:
        codes = [client.get("/healthz").status_code for _ in range(3)]
        assert codes == [429] * 3
    with served(tmp_path, limits=Limits(rate=2)) as client:
        answers = [client.get("/healthz") for _ in range(50)]
        late = [one for one in answers if one.status_code == 429]
        assert answers[0].status_code == 200
        assert late
        assert late[0].headers["retry-after"] == "1"


def test_bucket_fills_again() -> None:
    buckets = Buckets(2.0)
    assert [buckets.take("a", 0.0) for _ in range(3)] == [0.0, 0.0, 0.5]
    assert buckets.take("b", 0.0) == 0.0
    assert buckets.take("a", 0.5) == 0.0
    assert buckets.take("a", 0.5) == 0.5
    assert Buckets(0).take("a", 0.0) == 0.0


def test_time_of_a_request_is_limited(tmp_path) -> None:
    with served(tmp_path, limits=Limits(request_s=0.001)) as client:
        answer = client.post("/v1/whatif", json={"all_links": True})
        assert answer.status_code in {408, 503}
        assert answer.headers["content-type"] == "application/problem+json"


def test_slow_requests_do_not_pile_up(tmp_path) -> None:
    with served(tmp_path, limits=Limits(waiting=0)) as client:
        answer = client.post("/v1/whatif", json={"fail": ["host:gpu001"]})
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")


def test_internal_error_is_a_problem_and_no_more(tmp_path, monkeypatch, capsys) -> None:
    with served(tmp_path) as client:
        monkeypatch.setattr(client.service, "about", lambda _: 1 / 0)
        answer = client.get("/v1/state")
        assert answer.status_code == 500
        assert answer.headers["content-type"] == "application/problem+json"
    assert '"error": "ZeroDivisionError"' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "mode", "message"),
    [
        (f"read {READ}", 0o640, "mode 0640"),
        (f"read {READ} name more", 0o600, "not `SCOPES TOKEN`"),
        (f"admin {READ}", 0o600, "not `SCOPES TOKEN`"),
        ("read short", 0o600, "shorter than 32"),
        ("# none", 0o600, "no token"),
    ],
)
def test_wrong_token_file(tmp_path, text: str, mode: int, message: str) -> None:
    with pytest.raises(InputError) as caught:
        Tokens(_file(tmp_path, text, mode))
    said = "\n".join(map(str, caught.value.findings))
    assert message in said
    assert "short\n" not in said
    assert READ not in said


def test_beyond_this_machine_only_with_tls_and_tokens(tmp_path, tokens) -> None:
    both = {"tls_cert": tmp_path / "c", "tls_key": tmp_path / "k"}
    check(Settings())
    check(Settings(host="::1", tokens=tokens))
    check(Settings(host="0.0.0.0", tokens=tokens, **both))
    for wrong, count in (
        (Settings(host="10.0.0.1"), 2),
        (Settings(host="0.0.0.0", tokens=tokens), 1),
        (Settings(host="::", **both), 1),
        (Settings(tls_cert=tmp_path / "c"), 1),
    ):
        with pytest.raises(InputError) as caught:
            check(wrong)
        assert len(caught.value.findings) == count


@pytest.mark.parametrize("text", ["", "8780", "localhost:8780", "1.2.3.4:99999", "[::1]", "::1:80"])
def test_wrong_address(text: str) -> None:
    with pytest.raises(InputError):
        parse_listen(text)
    assert parse_listen("[::1]:80") == ("::1", 80)
