"""The connection to PostgreSQL: nothing waits for the server without end.

libpq and psycopg wait for an answer as long as the connection stands, and a server behind a
firewall that drops its packets, or a proxy that hangs, leaves it standing.
"""

from __future__ import annotations

import os
import socket
from contextlib import contextmanager, suppress
from threading import Event, Timer
from typing import TYPE_CHECKING, Any, LiteralString

from fabric.core.errors import JournalError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import psycopg

#: How long the server may take to log in, in seconds.
CONNECT_S = 10
#: How long a statement may take. Ours: with a try to connect again, a run whose server is silent
#: ends in less than 30 s; a statement writes one row, or reads so many that it takes a second.
ANSWER_S = 15.0
#: Of the client (PostgreSQL, libpq, "Parameter Key Words"): probes after 5 s without a word keep
#: the way through a firewall open while a wave soaks, and end a connection without a far end.
_ALIVE: dict[str, int] = {
    "connect_timeout": CONNECT_S,
    "keepalives": 1,
    "keepalives_idle": 5,
    "keepalives_interval": 5,
    "keepalives_count": 3,
}
#: Of the server, for the session (PostgreSQL, "Client Connection Defaults", "TCP Settings"): it
#: ends a statement before we cut it off, and lets the lock of a client that is gone go in 25 s
#: instead of two hours.
_SETTINGS: LiteralString = """
SET statement_timeout = '12s'; SET idle_in_transaction_session_timeout = '30s';
SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3
"""


def connect(url: str) -> psycopg.Connection[Any]:
    """Return a connection whose statements are transactions, each by itself."""
    connection: psycopg.Connection[Any] = library().connect(url, autocommit=True, **_ALIVE)
    try:
        ask(connection, _SETTINGS)
    except BaseException:
        connection.close()
        raise
    return connection


def ask(
    connection: psycopg.Connection[Any], statement: LiteralString, words: Sequence[object] = ()
) -> list[tuple[Any, ...]]:
    """Return the rows that a statement gives, and none where it gives none.

    Raises
    ------
    psycopg.OperationalError
        When the server takes too long.
    """
    with _answering(connection):
        cursor = connection.execute(statement, words or None)
        return cursor.fetchall() if cursor.description else []


@contextmanager
def _answering(connection: psycopg.Connection[Any]) -> Iterator[None]:
    """Cut the connection off where what is done with it takes too long."""
    handle, is_silent = connection.fileno(), Event()

    def cut() -> None:
        is_silent.set()
        with suppress(OSError), socket.socket(fileno=os.dup(handle)) as line:
            line.shutdown(socket.SHUT_RDWR)

    timer = Timer(ANSWER_S, cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    except library().Error as error:
        if is_silent.is_set():
            message = f"no answer for {ANSWER_S:g} s"
            raise library().OperationalError(message) from error
        raise
    finally:
        timer.cancel()
        timer.join()  # the number of the handle may be another connection's afterwards


def library() -> Any:
    """Return psycopg.

    Raises
    ------
    JournalError
        When it is not installed.
    """
    try:
        import psycopg
    except ImportError as error:
        message = "a journal in PostgreSQL needs the extra `postgresql`: rocefab[postgresql]"
        raise JournalError(message) from error
    return psycopg


@contextmanager
def server_errors(then: Callable[[], str]) -> Iterator[None]:
    """Turn an error of the server into one of ours; ``then`` is as of `journal_errors`."""
    try:
        yield
    except library().Error as error:
        reason = " ".join(str(error).split())[:300]
        message = f"the journal on the server cannot be used: {reason}{then()}"
        raise JournalError(message) from error
