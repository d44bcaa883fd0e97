"""The configuration database of the Junos stand-in: committed, candidate, history, lock and timer.

Known (Juniper, Junos XML protocol and CLI user guides; junos-eznc 2.8.2; issue 843 of
Juniper/py-junos-eznc and 1445 of napalm-automation/napalm for the words of a lock): one candidate
that all sessions share; a lock that is refused while it holds changes, and whose session takes its
changes along; 50 rollbacks; a commit that must be confirmed by another commit, or by a check, in
whole minutes, else the configuration before is committed again. ``comment`` of a revision tells of
the timer, ``log`` holds the message (Juniper/yang @ 3b347867 24.4R1-EVO
junos-genstate-commit-revision-information).
Assumed: levels vanish with what they held; what is committed, and its timer, survive a reboot.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.systems.junos.lab.checks import problems
from fabric.systems.junos.platforms.grammar import StatementError, replaces, statements
from fabric.systems.junos.platforms.hierarchy import read_tree
from fabric.systems.junos.platforms.text import (
    ConfigurationTextError,
    line_text,
    read_set,
)
from fabric.systems.junos.platforms.tree import tree_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.lab.clock import LabClock, Timer
    from fabric.systems.junos.platforms.text import Line, Words

_ROLLBACKS = 50
_MINUTE_S = 60
Config = dict["Line", None]


class JunosError(Exception):
    """What the system refuses: its message, the word that it names, and how bad it is."""

    def __init__(self, message: str, bad_element: str = "", severity: str = "error") -> None:
        super().__init__(message)
        self.message = message
        self.bad_element = bad_element
        self.severity = severity


@dataclass(frozen=True)
class Revision:
    """One commit."""

    number: int
    time_s: float
    user: str
    client: str
    config: tuple[Line, ...]
    comment: str = ""
    log: str = ""


def flat(words: Words) -> list[Words]:
    """Return the single statements of a line.

    Raises
    ------
    JunosError
        When the system does not know one.
    """
    try:
        paths = statements(words)
    except StatementError as error:
        raise JunosError("syntax error", error.word) from error
    return [tuple(word for step in statement for word in step.words) for statement in paths]


def edit(config: Config, verb: str, words: Words) -> None:
    """Apply one line.

    Raises
    ------
    JunosError
        When the system does not know the statement, or there is none to delete.
    """
    if verb == "set":
        for one in flat(words):
            if replaces(one):
                old = [item for item in config if item[0] == "set" and item[1][:-1] == one[:-1]]
                for line in old if ("set", one) not in config else ():
                    del config[line]
            config[verb, one] = None
        return
    below = [item for item in config if item[1][: len(words)] == words]
    if not any(item[0] == "set" for item in below):
        raise JunosError("statement not found", words[-1], "warning")
    if verb == "deactivate":
        config[verb, words] = None
    elif verb == "activate":
        config.pop(("deactivate", words), None)
    else:
        for item in below:
            del config[item]


def lines_of(config: Iterable[Line]) -> str:
    """Return ``display set`` lines; a level is shown by what it holds."""
    lines = list(config)
    holders = {
        words[:count] for verb, words in lines if verb == "set" for count in range(1, len(words))
    }
    return "".join(
        f"{line_text(line)}\n" for line in lines if line[0] != "set" or line[1] not in holders
    )


class Store:
    """The database.

    Parameters
    ----------
    text : str
        ``set`` lines at the start.
    clock : LabClock
        Runs the timer.
    user : str
        Who makes the commits of this session; somebody else is called ``operator``.

    Raises
    ------
    JunosError
        When the text holds what the system does not know.
    """

    def __init__(self, text: str, clock: LabClock, user: str) -> None:
        self.clock = clock
        self.user = user
        self.candidate: Config = {}
        self.load_set(text)
        self.owner: int | None = None
        self.timer: Timer | None = None
        self.history = [Revision(0, clock.now_s(), "root", "other", tuple(self.candidate))]

    @property
    def committed(self) -> tuple[Line, ...]:
        """The active configuration."""
        return self.history[0].config

    @property
    def changed(self) -> bool:
        """Whether the candidate holds what is not committed."""
        return tuple(self.candidate) != self.committed

    def lock(self, session: int) -> None:
        """Give the candidate to one session."""
        if self.owner not in (None, session):
            raise JunosError(
                f"configuration database locked by:\n  {self.user} terminal (pid {self.owner}) on "
                "since 2024-01-01 00:00:00 UTC, idle 00:00:01\n      exclusive"
            )
        if self.changed:
            raise JunosError("configuration database modified")
        self.owner = session

    def unlock(self, session: int) -> None:
        """Take the candidate back; what was not committed is forgotten."""
        if self.owner != session:
            raise JunosError("Configuration database is not open")
        self.owner = None
        self.rollback(0)

    def end(self, session: int) -> None:
        """Forget a session."""
        if self.owner == session:
            self.unlock(session)

    def check_free(self, session: int) -> None:
        """Refuse an edit while another session has the lock."""
        if self.owner not in (None, session):
            self.lock(session)

    def load_set(self, text: str, keep: int | None = None) -> None:
        """Apply lines to the candidate; of ``keep`` lines the rest is silently left out."""
        try:
            lines = read_set(text)
        except ConfigurationTextError as error:
            raise JunosError("syntax error", str(error)) from error
        for verb, words in lines[:keep]:
            edit(self.candidate, verb, words)

    def load_tree(self, text: str, *, replace: bool) -> None:
        """Apply a hierarchy to the candidate, or put it in its place."""
        try:
            lines = read_tree(text)
        except ConfigurationTextError as error:
            raise JunosError("syntax error", str(error)) from error
        if replace:
            self.candidate = {}
        for verb, words in lines:
            edit(self.candidate, verb, words)

    def rollback(self, number: int) -> None:
        """Load an earlier configuration into the candidate."""
        if number >= len(self.history):
            raise JunosError(f"rollback {number} does not exist")
        self.candidate = dict.fromkeys(self.history[number].config)

    def check(self) -> None:
        """Check the candidate; it confirms a commit that waits."""
        complaints = problems(
            dict.fromkeys(words for verb, words in self.candidate if verb == "set")
        )
        if complaints:
            raise JunosError(complaints[0])
        self._confirm()

    def commit(self, *, minutes: int = 0, log: str = "", user: str = "") -> None:
        """Make the candidate active; with ``minutes`` it must be confirmed."""
        self.check()
        before = self.history[0].number
        comment = f"commit confirmed, rollback in {minutes}mins" if minutes else ""
        self._push(tuple(self.candidate), user or self.user, "netconf", comment, log)
        if minutes:
            self.timer = self.clock.call_later(minutes * _MINUTE_S, lambda: self._go_back(before))

    def commit_by(self, user: str, text: str) -> None:
        """Commit lines of somebody else, beside what stands in the candidate."""
        kept, self.candidate = self.candidate, dict.fromkeys(self.committed)
        clean = tuple(kept) == self.committed
        self.load_set(text)
        self.commit(user=user)
        self.candidate = dict(self.candidate) if clean else kept

    def expire(self) -> None:
        """Let a timer that runs expire now."""
        if self.timer is not None:
            timer, self.timer = self.timer, None
            timer.cancel()
            timer.action()

    def _push(
        self, config: tuple[Line, ...], user: str, client: str, comment: str, log: str
    ) -> None:
        number = self.history[0].number + 1
        revision = Revision(number, self.clock.now_s(), user, client, config, comment, log)
        self.history = [revision, *self.history[: _ROLLBACKS - 1]]

    def _confirm(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None

    def _go_back(self, number: int) -> None:
        """Commit the configuration of an earlier revision again."""
        self.timer = None
        old = next(item.config for item in self.history if item.number == number)
        clean = not self.changed
        self._push(old, "root", "other", "", "")
        if clean:
            self.candidate = dict.fromkeys(old)

    def compare(self) -> str:
        """Return what the candidate changes, by level as ``show | compare`` prints it."""
        old, new = dict.fromkeys(self.committed), self.candidate
        rows: dict[Words, list[str]] = {}
        for mark, lines in (
            ("-", [x for x in old if x not in new]),
            ("+", [x for x in new if x not in old]),
        ):
            for verb, words in lines:
                if verb == "set":
                    rows.setdefault(words[:2], []).append(f"{mark}  {' '.join(words[2:])};")
                else:
                    rows.setdefault(words[:-1], []).append(f"!   inactive: {words[-1]}")
        return "\n".join(
            row for level, found in rows.items() for row in (f"[edit {' '.join(level)}]", *found)
        )

    @property
    def tree(self) -> str:
        """The active configuration in hierarchical form."""
        return tree_text(words for verb, words in self.committed if verb == "set")
