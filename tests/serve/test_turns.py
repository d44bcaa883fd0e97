"""One token gets a share, and waits for itself: the others are answered."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from fabric.serve.events import Events
from fabric.serve.problem import Problem
from fabric.serve.routes import whatif
from fabric.serve.settings import Limits
from fabric.serve.turns import Lane, Shares, Turns
from tests.serve.reviewed import TOKENS, Reviewed, reviewed
from tests.waiting import until


def test_a_token_has_a_quarter_and_who_has_none_has_all() -> None:
    shares = Shares(8, "clients listen", "wait")
    for caller in "aabb":
        shares.take(caller)
    with pytest.raises(Problem, match="2 clients listen already with this token"):
        shares.take("a")
    shares.give("a")
    shares.take("a")
    for caller in "ccdd":
        shares.take(caller)
    with pytest.raises(Problem, match="8 clients listen already") as caught:
        shares.check("e")
    assert caught.value.headers["Retry-After"] == "5"
    alone = Shares(3, "clients listen", "wait")
    for _ in range(3):
        alone.take("")
    with pytest.raises(Problem):
        alone.take("")


def test_turns_go_round() -> None:
    async def work() -> list[str]:
        turns, done = Turns(), list[str]()

        async def one(caller: str) -> None:
            async with turns.turn(caller):
                done.append(caller)
                await asyncio.sleep(0)

        await asyncio.gather(*(one(caller) for caller in "aaaabbc"))
        return done

    assert asyncio.run(work()) == [*"aabcaba"]


def test_a_turn_that_nobody_waits_for_is_passed_on() -> None:
    async def work() -> list[str]:
        turns, done = Turns(), list[str]()

        async def one(name: str) -> None:
            async with turns.turn(name):
                done.append(name)

        await turns.take("first")
        tasks = {name: asyncio.create_task(one(name)) for name in "abc"}
        await asyncio.sleep(0)
        tasks["a"].cancel()  # while it waits
        await asyncio.sleep(0)
        turns.give()
        tasks["b"].cancel()  # when its turn has come
        ended = await asyncio.gather(*tasks.values(), return_exceptions=True)
        assert [type(one) for one in ended[:2]] == [asyncio.CancelledError] * 2
        await turns.take("last")
        return done

    assert asyncio.run(work()) == ["c"]


def test_who_leaves_in_the_moment_of_a_turn_is_passed_over() -> None:
    async def work() -> None:
        lane = Lane("test", Shares(4, "works", "wait"))
        await lane._turns.take("first")
        waiting = {name: asyncio.create_task(lane.do(name, name.upper)) for name in "ab"}
        await asyncio.sleep(0)
        waiting["a"].cancel()
        lane._turns.give()  # before the task of a has seen that it is cancelled
        assert await waiting["b"] == "B"
        with pytest.raises(asyncio.CancelledError):
            await waiting["a"]
        assert await lane.do("a", lambda: "a again") == "a again"
        lane.close()

    asyncio.run(work())


def test_work_that_nobody_waits_for_is_in_the_way_until_it_ends() -> None:
    async def work() -> None:
        ended, lane = threading.Event(), Lane("test", Shares(4, "works", "wait"))
        long = asyncio.create_task(lane.do("a", lambda: ended.wait(60)))
        await asyncio.sleep(0)
        long.cancel()
        await asyncio.gather(long, return_exceptions=True)
        with pytest.raises(Problem, match="with this token"):
            await lane.do("a", lambda: None)
        waiting = asyncio.create_task(lane.do("b", lambda: "b"))
        await asyncio.sleep(0)
        assert not waiting.done()
        ended.set()
        assert await waiting == "b"
        assert await lane.do("a", lambda: "a") == "a"
        lane.close()

    asyncio.run(work())


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch):
    """Hold every what-if up until it is set."""
    go = threading.Event()
    monkeypatch.setattr(whatif, "whatif_answer", lambda *_: {"went": go.wait(60)})
    return go


def flooding(site: Reviewed, pool: ThreadPoolExecutor, count: int) -> list:
    """Send what-ifs by the token of the reader, until no more are taken."""
    body = {"fail": ["host:gpu001"]}
    return [pool.submit(site.ask, "reader", "POST", "/v1/whatif", json=body) for _ in range(count)]


def test_what_ifs_of_one_token_leave_room_for_approvals_and_for_others(
    tmp_path: Path, held: threading.Event
) -> None:
    limits = Limits(waiting=8)
    with ThreadPoolExecutor(16) as pool, reviewed(tmp_path, limits=limits, held=False) as site:
        asked = flooding(site, pool, 16)
        until(lambda: sum(one.done() for one in asked) == 14, "all but the share are rejected")
        refused = [one.result() for one in asked if one.done()]
        assert {answer.status_code for answer in refused} == {503}
        assert {answer.headers["Retry-After"] for answer in refused} == {"5"}
        url = f"/v1/plans/{site.sha256}"
        for _ in range(3):
            assert site.ask("dave", "POST", f"{url}/approval").status_code == 200
            assert site.ask("dave", "DELETE", f"{url}/approval").status_code == 200
        waits = pool.submit(site.ask, "dave", "POST", "/v1/whatif", json={"fail": ["host:gpu001"]})
        lane = site.client.service._slow
        until(lambda: len(lane._turns._waiting) == 2, "the other token waits for its turn")
        assert not waits.done()
        held.set()
        assert waits.result().status_code == 200


def until_rejected(listen: Callable[[], httpx.Response], most: int) -> int:
    """Return how many streams are taken."""
    for number in range(most):
        if listen().status_code == 503:
            return number
    return most


def test_of_streams_that_begin_at_once_those_beyond_the_share_end() -> None:
    async def work() -> list[list[bytes]]:
        events = Events(4)
        streams = [events.stream(None, caller) for caller in ("a", "a", "b")]
        events.check_room("a")
        first = [[part async for part in _first(stream)] for stream in streams]
        for stream in streams:
            await stream.aclose()
        events.check_room("a")
        return first

    assert asyncio.run(work()) == [[b": rocefab\n\n"], [], [b": rocefab\n\n"]]


async def _first(stream: AsyncGenerator[bytes, None]) -> AsyncIterator[bytes]:
    """Yield the first part of a stream, if it has one; the stream goes on."""
    part = await anext(stream, b"")
    if part:
        yield part


def test_streams_of_one_token_leave_room_for_others(tmp_path: Path) -> None:
    with reviewed(tmp_path, limits=Limits(streams=8), held=False) as site:
        open_streams = []

        def listen(name: str) -> httpx.Response:
            request = site.client.build_request(
                "GET", "/v1/events", headers={"Authorization": f"Bearer {TOKENS[name]}"}
            )
            answer = site.client.send(request, stream=True)
            parts = answer.iter_raw()
            next(parts)
            open_streams.append((answer, parts))
            return answer

        assert until_rejected(lambda: listen("reader"), 8) == 2
        assert until_rejected(lambda: listen("bob"), 8) == 2
        for answer, _ in open_streams:
            answer.close()
        until(lambda: until_rejected(lambda: listen("reader"), 1) == 1, "there is room again")
        for answer, _ in open_streams:
            answer.close()


def test_changes_of_one_token_leave_room_for_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = threading.Event()
    limits = Limits(queued=8)
    with ThreadPoolExecutor(8) as pool, reviewed(tmp_path, limits=limits, held=False) as site:
        store = site.client.service.store
        save = store.save
        monkeypatch.setattr(store, "save", lambda *words: (go.wait(60), save(*words)))
        body = {"conditions": {"gpu001": {"health": "down", "reason": "x"}}}
        sent = [pool.submit(site.ask, "bob", "PATCH", "/v1/state", json=body) for _ in range(6)]
        until(lambda: sum(one.done() for one in sent) == 4, "all but the share are rejected")
        rejected = {one.result().status_code for one in sent if one.done()}
        other = pool.submit(site.ask, "dave", "PATCH", "/v1/state", json=body)
        shares = site.client.service._change_shares
        until(lambda: shares._used.total() == 3 or other.done(), "the other token waits")
        go.set()
        assert rejected == {503}
        assert other.result().status_code == 200
        assert sorted(one.result().status_code for one in sent) == [200] * 2 + [503] * 4
        assert site.ask("bob", "PATCH", "/v1/state", json=body).status_code == 200


def test_plans_on_their_way_from_one_token_leave_room_for_others(tmp_path: Path) -> None:
    with reviewed(tmp_path, limits=Limits(uploads=8), held=False) as site:
        address = ("127.0.0.1", site.client.base_url.port)
        head = (
            "POST /v1/plans HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Authorization: Bearer {TOKENS['bob']}\r\nContent-Length: 9\r\n\r\n"
        )
        slow = [socket.create_connection(address, 60) for _ in range(2)]
        for connection in slow:
            connection.sendall(head.encode())
        shares = site.client.service.uploads
        until(lambda: shares._used.total() == 2, "both are on their way")
        rejected = site.ask("bob", "POST", "/v1/plans", json=site.plan)
        assert rejected.status_code == 503
        assert "2 plans are on their way already with this token" in rejected.json()["detail"]
        assert site.ask("dave", "POST", "/v1/plans", json=site.plan).status_code == 201
        for connection in slow:
            connection.close()


def test_the_rate_is_that_of_a_token(tmp_path: Path) -> None:
    with reviewed(tmp_path, limits=Limits(rate=3), held=False) as site:
        codes = [site.ask("reader", "GET", "/v1/jobs").status_code for _ in range(9)]
        assert 429 in codes
        assert site.ask("dave", "GET", "/v1/jobs").status_code == 200
        wrong = {"Authorization": "Bearer wrong"}
        assert {site.client.get("/v1/jobs", headers=wrong).status_code for _ in range(9)} == {
            401,
            429,
        }
        assert site.ask("dave", "GET", "/v1/jobs").status_code == 200
