"""What a VRP8 stand-in remembers: configurations, the trial run, and candidates of sessions.

Known (CloudEngine V300R023C00 command reference, WheaterW/INTA-project @ 9308062d, commit, abort
trial, display configuration trial status and port split): a rollback does not bring back what was
said about ports that were split or made whole; a candidate belongs to its session and changes
nothing before ``commit``; a trial lasts 60 to 65535 s and goes back by itself; without ``persist``
it ends with its session; ``commit persist`` confirms it; ``abort trial persist`` takes it back.
Assumed: one trial at a time; a commit during the trial of somebody else is refused; a reboot loads
what was saved and forgets the trial.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from fabric.book.grammar import LineRefusedError
from fabric.systems.vrp8.lab.config import Editor, read_text

if TYPE_CHECKING:
    from fabric.lab.clock import LabClock, Timer
    from fabric.lab.lines.tree import Section

_COMMIT = re.compile(
    r"commit(?P<trial> trial(?: (?P<time>\d+))?)?(?: persist (?P<persist>\S+))?"
    r"(?: description (?P<description>.{1,60}))?"
)
TRIAL_S = (60, 65_535)
DEFAULT_TRIAL_S = 600
#: NetEngine 8000 command reference, set configuration commit: ids begin there.
_FIRST_COMMIT = 1000000001


@dataclass(slots=True)
class Trial:
    """A configuration that goes back unless it is confirmed."""

    before: Section
    timer: Timer
    persist: str
    session: object


@dataclass(slots=True, eq=False)
class Candidate:
    """What one session is about to change: lines, each with the views that it was given in."""

    lines: list[tuple[tuple[str, ...], str]] = field(default_factory=list)
    editor: Editor | None = None

    def clear(self) -> None:
        """Forget what was not committed."""
        self.lines.clear()
        self.editor = None


class Vrp8State:
    """The memory of one switch.

    Parameters
    ----------
    clock : LabClock
        Runs trials and the uptime.
    text : str
        Configuration at the start, running and startup alike.
    family : str
        ``a`` or ``b``.
    """

    def __init__(self, clock: LabClock, text: str, ports: tuple[str, ...], family: str) -> None:
        self.clock = clock
        self.ports = ports
        self.family = family
        self.startup = read_text(text, ports, family)
        self.running = self.startup.copy()
        self.trial: Trial | None = None
        self.booted_s = clock.now_s()
        self.commits: list[str] = []

    @property
    def uptime_s(self) -> float:
        """Seconds since the last boot."""
        return self.clock.now_s() - self.booted_s

    @property
    def hostname(self) -> str:
        """Name of the running configuration."""
        return self.running.value("sysname") or "HUAWEI"

    def editor(self, root: Section) -> Editor:
        """Return an editor of a configuration."""
        return Editor(root, self.ports, self.family)

    def feed(self, candidate: Candidate, line: str) -> None:
        """Give one line to the candidate of a session.

        Raises
        ------
        LineRefusedError
            In the words of the switch.
        """
        if candidate.editor is None:
            candidate.editor = self.editor(self.running.copy())
        views = tuple(nodes[0].line for nodes in candidate.editor.stack[1:])
        candidate.editor.feed(line)
        candidate.lines.append((views, line))

    def note(self, user: str) -> None:
        """Write down who committed."""
        at = f"{datetime.fromtimestamp(self.clock.now_s(), UTC):%Y-%m-%d %H:%M:%S}"
        block = f") CommitId: {_FIRST_COMMIT + len(self.commits)}\n   Label: -\n   User: {user}\n"
        self.commits.insert(0, f"{block}   User-Intf: VTY 0\n   TimeStamp: {at}\n")

    def commit_list(self) -> str:
        """Return the commits as ``display configuration commit list verbose`` prints them."""
        return "".join(f"{number}{block}" for number, block in enumerate(self.commits, 1))

    def commit(
        self,
        candidate: Candidate,
        command: str,
        session: object,
        most: int | None,
        user: str = "admin",
    ) -> str:
        """Run a commit; return what the switch prints.

        Raises
        ------
        LineRefusedError
            When it is not a commit, or something stands in the way.
        """
        options = _COMMIT.fullmatch(command)
        if options is None:
            raise LineRefusedError("Error: Unrecognized command found at '^' position.")
        if not options["trial"] and self._confirmed(candidate, options["persist"], session):
            return ""
        if self.trial is not None:
            raise LineRefusedError(
                "Error: The system is in the trial configuration mode of another session."
            )
        before, after = self.running, self._applied(candidate, most)
        seconds = int(options["time"] or DEFAULT_TRIAL_S)
        if options["trial"] and not TRIAL_S[0] <= seconds <= TRIAL_S[1]:
            raise LineRefusedError("Error: Wrong parameter found at '^' position.")
        candidate.clear()
        self.running = after
        self.note(user)
        if not options["trial"]:
            return ""
        timer = self.clock.call_later(seconds, self.go_back)
        self.trial = Trial(before, timer, options["persist"] or "", session)
        return (
            "Info: The system enters the trial configuration mode.\n"
            "The system will revert to previous configuration if the trial configuration is not "
            f"confirmed in {seconds} seconds.\n"
        )

    def _confirmed(self, candidate: Candidate, persist: str | None, session: object) -> bool:
        """Confirm a trial of the name or session; tell whether there was one."""
        trial = self.trial
        if persist is not None and (trial is None or trial.persist != persist):
            raise LineRefusedError("Error: The trial configuration does not exist.")
        if trial is None or (persist is None and (trial.persist or trial.session is not session)):
            return False
        trial.timer.cancel()
        self.trial = None
        candidate.clear()
        return True

    def _applied(self, candidate: Candidate, most: int | None) -> Section:
        """Return the running configuration with the lines of a candidate; at most ``most``."""
        root = self.running.copy()
        for views, line in candidate.lines[:most]:
            editor = self.editor(root)
            for view in views:
                editor.feed(view)
            editor.feed(line)
        return root

    def abort(self, persist: str) -> str:
        """Take the trial with a name back; return what the switch prints.

        Raises
        ------
        LineRefusedError
            When there is none.
        """
        if self.trial is None or self.trial.persist != persist:
            raise LineRefusedError("Error: The trial configuration does not exist.")
        self.go_back()
        return "Info: The trial configuration rollback succeeded.\n"

    def go_back(self) -> None:
        """Return to what was before the trial."""
        if self.trial is not None:
            self.trial.timer.cancel()
            self._forget_split_ports(self.trial.before)
            self.running = self.trial.before
            self.trial = None

    def _forget_split_ports(self, before: Section) -> None:
        """Take from a configuration what was said about ports whose cage is split otherwise now."""
        both = ({n.line for n in root.below("port split ")} for root in (before, self.running))
        cages = {line.split()[4] for line in set.symmetric_difference(*both)}
        for node in before.children.values():
            if node.mode == "port" and node.line.split()[1].partition(":")[0] in cages:
                node.children.clear()

    def end_session(self, session: object) -> None:
        """End the trial of a session that did not give it a name."""
        if self.trial is not None and self.trial.session is session and not self.trial.persist:
            self.go_back()

    def trial_status(self) -> str:
        """Return ``display configuration trial status``."""
        if self.trial is None:
            return "Trial status: INACTIVE \nTrial time left (sec): 0\n"
        left_s = max(0, int(self.trial.timer.due_s - self.clock.now_s()))
        name = f"Persist id: {self.trial.persist}\n" if self.trial.persist else ""
        return f"Trial status: ACTIVE \n{name}Trial time left (sec): {left_s}\n"

    def save(self) -> None:
        """Make the running configuration the one of the next start."""
        self.startup = self.running.copy()

    def reboot(self) -> None:
        """Start again from what was saved."""
        if self.trial is not None:
            self.trial.timer.cancel()
        self.trial = None
        self.running = self.startup.copy()
        self.booted_s = self.clock.now_s()
