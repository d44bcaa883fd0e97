"""Where an answer ends: behind the echo of its line, and never at a pause."""

from __future__ import annotations

import gc
import re
import threading
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.core.errors import ConnectionLostError
from fabric.devices import answers
from fabric.devices.answers import AnswerTooLongError, PromptReader, after_echo
from fabric.devices.base import BaseDriver
from fabric.devices.driver import Connection
from fabric.devices.limits import timed
from tests.waiting import until

PROMPT = re.compile(r"(?:\A|\n)(?P<prompt><[^<>\n]+>)\Z")
QUESTION = re.compile(r"\[Y/N\]:\Z")


class Terminal:
    """Answers each line that is sent with pieces; an empty piece is a pause."""

    def __init__(self, *answers: list[str], waiting: str = "") -> None:
        self._answers = list(answers)
        self._pieces = [waiting] if waiting else []
        self.sent: list[str] = []
        self.remote_conn = self

    def write_channel(self, text: str) -> None:
        """Take a line."""
        self.sent.append(text)
        self._pieces += self._answers.pop(0)

    def gettimeout(self) -> float:
        """Return what a channel of netmiko has."""
        return 20.0

    def settimeout(self, timeout_s: float) -> None:
        """Take how long to wait; nothing waits here."""

    def recv(self, _most: int) -> bytes:
        """Return the next piece."""
        piece = self._pieces.pop(0) if self._pieces else ""
        if not piece:
            raise TimeoutError
        return piece.encode()

    @property
    def is_read(self) -> bool:
        """Whether nothing is left."""
        return not self._pieces


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "SETTLED_S", 0.0)


def asked(terminal: Terminal, line: str = "show x") -> tuple[str, str]:
    reader = PromptReader(terminal, PROMPT, QUESTION, lambda prompt: prompt == "<leaf1>")
    return reader.ask(line, 5.0)


def test_a_prompt_that_comes_late_ends_nothing() -> None:
    terminal = Terminal(["show x\r\n", "", "one\r\n<leaf1>"], waiting="\r\n<leaf1>")
    assert asked(terminal) == ("one\n", "<leaf1>")


@pytest.mark.fault(16)
def test_a_pause_behind_what_looks_like_a_prompt_is_no_end() -> None:
    """The device goes on in place of printing it once more."""
    terminal = Terminal(
        ["show x\r\none\r\n<other>"],
        ["\r\ntwo\r\n<leaf1>"],
    )
    assert asked(terminal) == ("one\n<other>\ntwo\n", "<leaf1>")
    assert terminal.sent == ["show x\n", "\n"]


def test_the_prompt_of_an_empty_line_ends_no_later_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The device prints on, and then a prompt for the empty line too."""
    monkeypatch.setattr(answers, "SETTLED_S", 0.05)
    terminal = Terminal(
        ["show x\r\none\r\n<other>"],
        ["\r\ntwo\r\n<leaf1>", "", "\r\n<leaf1>"],
    )
    assert asked(terminal) == ("one\n<other>\ntwo\n", "<leaf1>")
    assert terminal.is_read


def test_a_prompt_of_another_name_is_one_when_it_comes_again() -> None:
    terminal = Terminal(["show x\r\none\r\n<other>"], ["\r\n<other>"])
    assert asked(terminal) == ("one\n", "<other>")


def test_a_question_has_no_prompt() -> None:
    assert asked(Terminal(["show x\r\nSure? [Y/N]:"])) == ("Sure? [Y/N]:", "")


def test_the_echo_of_a_long_line_may_be_wrapped() -> None:
    line = "description " + "".join(f"word{number}" for number in range(20))
    shown = f"{line[:80]} \r{line[80:]}\r\n"
    assert asked(Terminal([f"{shown}<leaf1>"]), line) == ("", "<leaf1>")
    assert after_echo("no echo\n", "show x") == "no echo\n"


def test_a_line_end_that_comes_in_two_pieces_is_one() -> None:
    terminal = Terminal(["show x\r", "\n", "one\r\r", "\ntwo\r\n<leaf1>"])
    assert asked(terminal) == ("one\ntwo\n", "<leaf1>")


class Coloured(Terminal):
    """A terminal in colours, read by netmiko's own words."""

    RETURN = "\n"

    def strip_ansi_escape_codes(self, text: str) -> str:
        """Return a text without colours."""
        from netmiko.base_connection import BaseConnection

        return BaseConnection.strip_ansi_escape_codes(self, text)


def test_an_escape_sequence_that_comes_in_two_pieces_is_one() -> None:
    terminal = Coloured(["show x\r\n\x1b", "[31mone\x1b[0", "0m\r\n<leaf1>"])
    assert asked(terminal) == ("one\n", "<leaf1>")


class Halved(Terminal):
    """A terminal whose characters come byte by byte."""

    def recv(self, _most: int) -> bytes:
        """Return the next byte."""
        if not self._pieces:
            raise TimeoutError
        whole = self._pieces.pop(0)
        data = whole if isinstance(whole, bytes) else whole.encode()
        if len(data) > 1:
            self._pieces.insert(0, data[1:])
        return data[:1]


def test_a_character_that_comes_in_two_pieces_is_one() -> None:
    assert asked(Halved(["show x\r\nL\u00fcfter\r\n<leaf1>"])) == ("L\u00fcfter\n", "<leaf1>")


def test_a_device_that_closes_the_session_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    terminal = Terminal(["show x\r\n"])
    monkeypatch.setattr(terminal, "recv", lambda _: b"")
    with pytest.raises(ConnectionError, match="closed the session"):
        asked(terminal)


@given(st.text("\r\nab"))
def test_plain_line_ends_are_those_of_the_pattern(text: str) -> None:
    assert answers._lines(text) == answers._LINE_END.sub("\n", text)


def test_what_a_device_says_to_one_call_is_bounded_together() -> None:
    """Each of three answers is short enough by itself; the third is one too many."""
    answer = ["show x\r\n" + "y" * 400 + "\r\n<leaf1>"]
    terminal = Terminal(*[list(answer) for _ in range(3)])
    with answers.allowed(1000):
        assert asked(terminal)[0] == asked(terminal)[0] == "y" * 400 + "\n"
        with pytest.raises(AnswerTooLongError):
            asked(terminal)
    assert asked(Terminal(answer))[0] == "y" * 400 + "\n", "behind it, an answer counts alone"


class Held:
    """What a call has read until it fails."""


class Failing(BaseDriver):
    """A device whose readings fail: at once, or when the session is cut."""

    def __init__(self, at_once: bool) -> None:
        super().__init__(Connection("leaf1", "sonic", "192.0.2.1", 22, "admin", ""))
        self.is_cut = threading.Event()
        if at_once:
            self.is_cut.set()
        self.read: weakref.ref[Held] | None = None

    def cut(self) -> None:
        """End what is being read."""
        self.is_cut.set()

    def read_state(self, subjects: Sequence[str]) -> Mapping[str, str]:
        """Hold something while it waits, and fail."""
        pieces = Held()
        self.read = weakref.ref(pieces)
        self.is_cut.wait()
        raise ConnectionLostError("leaf1", f"the session ended with {type(pieces).__name__}")


@pytest.mark.parametrize("at_once", [True, False], ids=["failed", "cut"])
def test_what_a_failed_reading_held_goes_without_the_garbage_collector(at_once: bool) -> None:
    """It runs rarely (`collect_rarely`), and an endless answer is 16 MiB."""
    gc.disable()
    try:
        device = Failing(at_once)
        driver = timed(device, within_s=0.2)
        with suppress(ConnectionLostError):
            driver.read_state([])
        until(lambda: device.read is not None and device.read() is None, "it is gone")
    finally:
        gc.enable()
