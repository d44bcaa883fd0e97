"""Sessions with hosts between waves: how many stay open, and that all of them end."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from fabric.core.errors import ConnectionLostError, RefusedError
from fabric.workflow import host_sessions
from fabric.workflow.host_sessions import HostSessions, LoginError


class Hosts:
    """Counts logins and logouts; hosts of `down` let nobody in, those of `lost` break once."""

    def __init__(self) -> None:
        self.logins: Counter[str] = Counter()
        self.logouts: Counter[str] = Counter()
        self.down: set[str] = set()
        self.lost: set[str] = set()

    def open_driver(self, host: str) -> Host:
        if host in self.down:
            raise ConnectionLostError(host, "cannot log in")
        self.logins[host] += 1
        return Host(self, host)


class Host:
    def __init__(self, hosts: Hosts, name: str) -> None:
        self.hosts, self.name = hosts, name

    def ask(self) -> str:
        if self.name in self.hosts.lost:
            self.hosts.lost.discard(self.name)
            raise ConnectionLostError(self.name, "lost")
        return self.name

    def renew(self, within_s: float) -> None:
        """Take any time."""

    def close(self) -> None:
        self.hosts.logouts[self.name] += 1


@pytest.fixture
def hosts(monkeypatch: pytest.MonkeyPatch) -> Hosts:
    hosts = Hosts()
    monkeypatch.setattr(host_sessions, "open_driver", hosts.open_driver)
    return hosts


@pytest.fixture
def sessions(hosts: Hosts) -> HostSessions:
    names: Any = {f"gpu{number}": f"gpu{number}" for number in range(100)}
    return HostSessions(names)


def ask(driver: Any) -> str:
    answer: str = driver.ask()
    return answer


def test_one_login_serves_all_waves_and_ends_with_the_run(
    hosts: Hosts, sessions: HostSessions
) -> None:
    with sessions:
        assert [sessions.use("gpu1", ask) for _ in range(3)] == ["gpu1"] * 3
        assert (hosts.logins["gpu1"], hosts.logouts["gpu1"]) == (1, 0)
    assert hosts.logouts["gpu1"] == 1


def test_only_so_many_stay_open(hosts: Hosts, sessions: HostSessions) -> None:
    most = host_sessions.MOST_OPEN
    with sessions:
        for _ in range(2):
            for name in sessions.connections:
                sessions.use(name, ask)
        assert hosts.logins.total() - hosts.logouts.total() == most
    assert hosts.logins == hosts.logouts
    assert hosts.logins.total() == most + 2 * (100 - most)


def test_a_session_that_broke_is_opened_again(hosts: Hosts, sessions: HostSessions) -> None:
    with sessions:
        sessions.use("gpu1", ask)
        hosts.lost.add("gpu1")
        assert sessions.use("gpu1", ask) == "gpu1"
    assert hosts.logins["gpu1"] == hosts.logouts["gpu1"] == 2


def test_who_cannot_log_in_says_so(hosts: Hosts, sessions: HostSessions) -> None:
    """Also where an earlier session was left open."""
    with sessions:
        sessions.use("gpu1", ask)
        hosts.lost.add("gpu1")
        hosts.down |= {"gpu1", "gpu2"}
        for name in ("gpu1", "gpu2"):
            with pytest.raises(LoginError, match=f"{name}: cannot log in"):
                sessions.use(name, ask)
        hosts.down.clear()
        assert sessions.use("gpu1", ask) == "gpu1"


def test_a_failure_of_the_work_closes_the_session(hosts: Hosts, sessions: HostSessions) -> None:
    def refuse(driver: Any) -> str:
        raise RefusedError(driver.name, "no")

    with sessions:
        with pytest.raises(RefusedError):
            sessions.use("gpu1", refuse)
        assert hosts.logouts["gpu1"] == 1
