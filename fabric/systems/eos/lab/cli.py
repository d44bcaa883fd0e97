"""The command line behind eAPI: exec mode, configuration mode, configuration sessions.

Known: commands and their order as napalm-automation/napalm ``napalm/eos/eos.py`` sends them; error
codes of eAPI 1000 "could not run command", 1002 "invalid command", 1003 "unconverted command".
Assumed: ``enable`` takes any password; commands that change or reveal configuration need it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from fabric.book.grammar import InvalidInputError, exec_spellings, match_variant
from fabric.systems.eos.lab.config import as_json, shown, text_lines
from fabric.systems.eos.lab.sessions import CommandFailedError
from fabric.systems.eos.lab.show import SHOWS, TEXTS, page

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.lab.lines.tree import Section
    from fabric.systems.eos.lab.config import Editor
    from fabric.systems.eos.lab.sessions import EosState, Session
    from fabric.systems.eos.lab.view import View

    Result = dict[str, Any]
    Handler = Callable[["Cli", list[str]], Result | str | None]

UNCONVERTED = (
    "Command cannot be used over the API at this time. To see ASCII output, set format='text' "
    "in your request"
)
_PRIVILEGED = (
    "configure", "copy", "write", "no", "delete", "show running-config", "show startup-config",
    "show session-config", "show configuration sessions",
)  # fmt: skip


class CliError(Exception):
    """A command that failed, with the code and summary of eAPI."""

    def __init__(self, code: int, summary: str, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.summary = summary
        self.text = text


class Cli:
    """The command line of one eAPI request.

    Parameters
    ----------
    state : EosState
        Memory of the switch.
    view : View
        What the show commands see.
    text : bool
        Results are texts instead of JSON.
    shorten : bool
        Words of exec commands may be shortened (``autoComplete``).
    """

    def __init__(self, state: EosState, view: View, *, text: bool, shorten: bool = False) -> None:
        self.state = state
        self.view = view
        self.text = text
        self.shorten = shorten
        self.enabled = False
        self.editor: Editor | None = None
        self.session: Session | None = None

    def run(self, command: str, body: str | None = None) -> Result:
        """Run one command.

        Parameters
        ----------
        given : str or None
            Text that the command would ask for.

        Raises
        ------
        CliError
            When it is refused or fails.
        """
        words = command.split()
        try:
            if self.editor is not None:
                return self._configure(words, command, body)
            return self._exec(words)
        except InvalidInputError as error:
            raise CliError(1002, "invalid command", error.text) from None
        except CommandFailedError as error:
            raise CliError(1000, "could not run command", str(error)) from None

    def _configure(self, words: list[str], command: str, given: str | None) -> Result:
        editor, session = self.editor, self.session
        assert editor is not None
        if words == ["end"] or (words == ["exit"] and len(editor.stack) == 1):
            self.editor = self.session = None
            return self.answer("")
        if session is not None and words:
            done = self._in_session(session, words)
            if done is not None:
                return done
        try:
            editor.feed(command, given)
        except InvalidInputError:
            if not words or words[0] not in ("show", "copy", "write", "configure"):
                raise
            return self._exec(words)
        return self.answer("")

    def _in_session(self, session: Session, words: list[str]) -> Result | None:
        """Run what only a session knows; None when it is something else."""
        command = " ".join(words)
        timed = re.fullmatch(r"commit timer (\S+)", command)
        if command == "rollback clean-config":
            self.state.clean(session)
            self.editor = self.state.editor(session.tree)
            return self.answer("")
        if command == "show session-config diffs":
            return self.answer(self.state.diff(session.name), plain=True)
        if command == "show session-config":
            return self.config(session.tree, command)
        if command not in ("commit", "abort") and not timed:
            return None
        if command == "abort":
            self.state.abort(session.name)
        else:
            self.state.commit(session.name, timer_seconds(timed[1]) if timed else 0)
        self.editor = self.session = None
        return self.answer("")

    def _exec(self, words: list[str]) -> Result:
        depth, missing = 0, False
        for pattern, handler in {**COMMANDS, **SHOW_COMMANDS}.items():
            for elements in exec_spellings(pattern):
                cursor, reached, short = match_variant(elements, words, shorten=self.shorten)
                if cursor is None:
                    missing = (missing or short) if reached == depth else short
                    depth = max(depth, reached)
                    continue
                if not self.enabled and pattern.startswith(_PRIVILEGED):
                    raise CliError(
                        1002, "invalid command", "Invalid input (privileged mode required)"
                    )
                result = handler(self, cursor.shown)
                return result if isinstance(result, dict) else self.answer(result or "")
        raise InvalidInputError(words or [""], depth, incomplete=missing and depth == len(words))

    def answer(self, output: str, *, plain: bool = False) -> Result:
        """Return a result that is empty in JSON; refuse JSON when the output is ``plain`` text."""
        if self.text:
            return {"output": output}
        if plain:
            raise CliError(1003, "unconverted command", UNCONVERTED)
        return {}

    def config(self, tree: Section, command: str) -> Result:
        """Return a whole configuration."""
        blocks = shown(tree)
        if not self.text:
            return {"cmds": as_json(blocks), "comments": [], "header": self.header(command)}
        lines = [*(f"! {line}" if line else "!" for line in self.header(command)), "!"]
        text = "\n".join([*lines, *text_lines(blocks), "!", "end"]) + "\n"
        if self.view.alias:
            text = re.sub(r"(?m)^hostname .*$", f"hostname {self.view.alias}", text)
        if command.endswith("sanitized"):
            text = re.sub(r"(sha512|password 7) \S+", r"\1 <removed>", text)
        return {"output": text}

    def header(self, command: str) -> list[str]:
        """Return the comment lines above a configuration."""
        device = f"{self.view.hostname} ({self.view.spec.model}, EOS-{self.view.version})"
        return [f"Command: {command}", f"device: {device}", "",
                f"boot system flash:/EOS-{self.view.version}.swi"]  # fmt: skip


def timer_seconds(text: str) -> int:
    """Read ``HH:MM:SS``."""
    if not re.fullmatch(r"\d{1,2}:\d{1,2}:\d{1,2}", text):
        raise InvalidInputError(["commit", "timer", text], 2)
    hours, minutes, seconds = (int(part) for part in text.split(":"))
    return hours * 3600 + minutes * 60 + seconds


def _configure(cli: Cli, words: list[str]) -> None:
    named = words[2:3]
    cli.session = cli.state.open_session(named[0], cli.view.spec.username) if named else None
    cli.editor = cli.state.editor(cli.session.tree if cli.session else cli.state.running)


def _commit(cli: Cli, words: list[str]) -> None:
    cli.state.commit(words[2], timer_seconds(words[5]) if len(words) > 5 else 0)  # noqa: PLR2004


def _copy(cli: Cli, words: list[str]) -> str:
    if words[2] == "running-config":
        cli.state.replace(words[1])
    else:
        cli.state.copy(words[1], words[2])
    return "Copy completed successfully.\n"


def _delete(cli: Cli, words: list[str]) -> None:
    cli.state.tree_of(words[1])
    cli.state.flash.pop(words[1], None)


def _show_session(cli: Cli, words: list[str]) -> Result:
    difference = cli.state.diff(words[3])
    if words[-1] == "diffs":
        return cli.answer(difference, plain=True)
    return cli.config(cli.state.sessions[words[3]].tree, " ".join(words))


def _show_sessions(cli: Cli, _words: list[str]) -> Result:
    answer = cli.state.sessions_json()
    return {"output": page("sessions", answer=answer)} if cli.text else answer


COMMANDS: dict[str, Handler] = {
    "enable": lambda cli, _words: setattr(cli, "enabled", True),
    "disable|end|exit": lambda _cli, _words: None,
    "terminal length|width <0-32767>": lambda _cli, _words: None,
    "configure [ terminal ]": lambda cli, _words: _configure(cli, []),
    "configure session <name>": _configure,
    "configure session <name> commit": _commit,
    "configure session <name> commit timer <hms>": _commit,
    "configure session <name> abort": lambda cli, words: cli.state.abort(words[2]),
    "no configure session <name>": lambda cli, words: cli.state.abort(words[-1]),
    "configure replace <file> [ ignore-errors ]": lambda cli, words: cli.state.replace(words[2]),
    "copy running-config|startup-config <file>": _copy,
    "copy running-config startup-config": _copy,
    "copy startup-config running-config": _copy,
    "copy <file> running-config|startup-config": _copy,
    "write [ memory ]": lambda cli, _words: _copy(
        cli, "copy running-config startup-config".split()
    ),
    "delete <file>": _delete,
    "show running-config [ sanitized ]": lambda cli, words: cli.config(
        cli.state.running, " ".join(words)
    ),
    "show startup-config": lambda cli, words: cli.config(cli.state.startup, " ".join(words)),
    "show session-config named <name> [ diffs|sanitized ]": _show_session,
    "show configuration sessions [ detail ]": _show_sessions,
}


def _show(pattern: str) -> Handler:
    def handle(cli: Cli, words: list[str]) -> Result:
        if cli.text:
            if pattern not in TEXTS:
                raise CommandFailedError("the stand-in has no text form of this command")
            return {"output": page(TEXTS[pattern], answer=SHOWS[pattern](cli.view, words))}
        return SHOWS[pattern](cli.view, words)

    return handle


SHOW_COMMANDS: dict[str, Handler] = {pattern: _show(pattern) for pattern in SHOWS}
