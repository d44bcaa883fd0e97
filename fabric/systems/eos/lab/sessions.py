"""What an EOS stand-in remembers: configurations, files, sessions and the commit timer.

Known (napalm-automation/napalm ``napalm/eos/eos.py``; EOS manual, "Configure Session"): a session
starts from a copy of the running configuration, a commit overwrites what others changed since;
states ``pending``, ``pendingCommitTimer``, ``completed``; a second commit confirms, an abort while
the timer runs rolls back; a reboot loads startup and forgets sessions; times count from the boot.
Assumed: five open sessions and one completed session are kept (the defaults of EOS); while a
commit timer runs, no other session can be committed; the words of the refusals.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from fabric.lab.lines.tree import Section
from fabric.systems.eos.lab.config import Editor, clean_tree, diff_lines, read_text, shown

if TYPE_CHECKING:
    from fabric.book.grammar import Grammar
    from fabric.lab.clock import LabClock

MAX_OPEN_SESSIONS = 5
MAX_SAVED_SESSIONS = 1
SessionState = Literal["pending", "pendingCommitTimer", "completed"]


class CommandFailedError(Exception):
    """A command that EOS understood and could not run."""


@dataclass(slots=True)
class Session:
    """One configuration session."""

    name: str
    tree: Section
    state: SessionState = "pending"
    user: str = ""


@dataclass(slots=True)
class CommitTimer:
    """A commit that is undone unless somebody confirms it."""

    session: str
    before: Section
    due_s: float


@dataclass(slots=True)
class EosState:
    """The memory of one switch.

    Parameters
    ----------
    grammar : Grammar
        What the switch accepts.
    clock : LabClock
        Runs the commit timer and the uptime.
    startup_text : str
        Configuration at the start, running and startup alike.
    """

    grammar: Grammar
    clock: LabClock
    startup_text: str
    ports: tuple[str, ...]
    booted_s: float = 0.0
    flash: dict[str, Section] = field(default_factory=dict)
    sessions: dict[str, Session] = field(default_factory=dict)
    timer: CommitTimer | None = None
    startup: Section = field(default_factory=Section)
    _running: Section = field(default_factory=Section)

    def __post_init__(self) -> None:
        self.startup = read_text(self.startup_text, self.grammar, self.ports)
        self._running = self.startup.copy()
        self.booted_s = self.clock.now_s()

    @property
    def uptime_s(self) -> float:
        """Seconds since the last boot."""
        return self.clock.now_s() - self.booted_s

    @property
    def running(self) -> Section:
        """The running configuration, after the commit timer had its say."""
        self.settle()
        return self._running

    def settle(self) -> None:
        """Undo a timed commit whose time is over."""
        if self.timer and self.clock.now_s() >= self.timer.due_s:
            self.expire_timer()

    def expire_timer(self) -> bool:
        """End the running commit timer at once; tell whether there was one."""
        if self.timer is None:
            return False
        self._running = self.timer.before
        self.sessions.pop(self.timer.session, None)
        self.timer = None
        return True

    def editor(self, tree: Section) -> Editor:
        """Return an editor of one of the configurations."""
        return Editor(tree, self.grammar, self.ports)

    def open_session(self, name: str, user: str = "") -> Session:
        """Open a session, or come back to one that is still pending.

        Raises
        ------
        CommandFailedError
            When it is completed or there are too many.
        """
        self.settle()
        known = self.sessions.get(name)
        if known and known.state == "pending":
            return known
        if known:
            raise CommandFailedError(f"Cannot enter session {name} (session already completed)")
        if sum(one.state == "pending" for one in self.sessions.values()) >= MAX_OPEN_SESSIONS:
            raise CommandFailedError(
                "Maximum number of pending sessions has been reached. Please commit or abort "
                "previous sessions before creating a new one."
            )
        session = Session(name, self._running.copy(), user=user)
        self.sessions[name] = session
        return session

    def clean(self, session: Session) -> None:
        """Empty a session, as ``rollback clean-config`` does."""
        session.tree = clean_tree(self.grammar, self.ports)

    def _session(self, name: str) -> Session:
        self.settle()
        if name not in self.sessions:
            raise CommandFailedError(f"Session {name} does not exist")
        return self.sessions[name]

    def commit(self, name: str, timer_s: int = 0) -> None:
        """Commit a session, or confirm it when its timer runs.

        Raises
        ------
        CommandFailedError
            When there is no such session, or the timer of another one runs.
        """
        session = self._session(name)
        if self.timer and self.timer.session == name:
            if timer_s:
                self.timer.due_s = self.clock.now_s() + timer_s
            else:
                self._complete(session)
            return
        if self.timer or session.state != "pending":
            why = "a commit timer is running" if self.timer else "session already completed"
            raise CommandFailedError(f"Cannot commit session {name} ({why})")
        before, self._running = self._running, session.tree.copy()
        if timer_s:
            session.state = "pendingCommitTimer"
            self.timer = CommitTimer(name, before, self.clock.now_s() + timer_s)
        else:
            self._complete(session)

    def _complete(self, session: Session) -> None:
        self.timer = None
        session.state = "completed"
        done = [name for name, one in self.sessions.items() if one.state == "completed"]
        for name in done:
            if name != session.name and len(done) > MAX_SAVED_SESSIONS:
                del self.sessions[name]

    def abort(self, name: str) -> None:
        """Throw a session away; undo it when its timer runs.

        Raises
        ------
        CommandFailedError
            When there is no such session, or it is completed.
        """
        session = self._session(name)
        if session.state == "completed":
            raise CommandFailedError(f"Cannot abort session {name} (session already completed)")
        if session.state == "pendingCommitTimer":
            self.expire_timer()
        else:
            del self.sessions[name]

    def diff(self, name: str) -> str:
        """Return the difference between the running configuration and a session."""
        session = self._session(name)
        lines = list(diff_lines(shown(self._running), shown(session.tree)))
        if not lines:
            return ""
        head = ["--- system:/running-config", f"+++ session:/{name}-session-config"]
        return "\n".join([*head, *lines]) + "\n"

    def tree_of(self, source: str) -> Section:
        """Return a configuration by its name in ``copy``.

        Raises
        ------
        CommandFailedError
            When there is no such file.
        """
        if source == "running-config":
            return self.running
        if source == "startup-config":
            return self.startup
        if source not in self.flash:
            raise CommandFailedError(f"Error copying {source} (No such file or directory)")
        return self.flash[source]

    def copy(self, source: str, target: str) -> None:
        """Copy a configuration to startup or to a file."""
        tree = self.tree_of(source).copy()
        if target == "startup-config":
            self.startup = tree
        else:
            self.flash[target] = tree

    def replace(self, source: str) -> None:
        """Replace the running configuration by a file."""
        self.settle()
        self._running = self.tree_of(source).copy()

    def reboot(self) -> None:
        """Start again from the startup configuration."""
        self.timer = None
        self.sessions.clear()
        self._running = self.startup.copy()
        self.booted_s = self.clock.now_s()

    def sessions_json(self) -> dict[str, Any]:
        """Return ``show configuration sessions detail``."""
        self.settle()
        expires_s = 0.0 if self.timer is None else self.timer.due_s - self.booted_s
        listed: dict[str, Any] = {}
        for name, one in self.sessions.items():
            listed[name] = {
                "state": one.state, "commitUser": one.user if one.state != "pending" else "",
                "description": "", "instances": {},
            }  # fmt: skip
            if one.state == "pendingCommitTimer":
                listed[name]["commitBy"] = expires_s
        answer: dict[str, Any] = {
            "maxSavedSessions": MAX_SAVED_SESSIONS, "maxOpenSessions": MAX_OPEN_SESSIONS,
            "mergeOnCommit": False, "saveToStartupConfigOnCommit": False, "sessions": listed,
        }  # fmt: skip
        if self.timer:
            answer["commitTimerSessionName"] = self.timer.session
            answer["commitTimerExpireTime"] = expires_s
        return answer
