"""Reading what a terminal prints, up to its real end: a pause is none.

An answer to a line ends at the prompt that follows the echo of the line. A prompt that comes late
from an earlier line stands before the echo, so it ends nothing. A text that looks like a prompt of
another name ends an answer only when the device prints it once more for an empty line: a device
that pauses in the middle of an answer prints the rest instead.
"""

from __future__ import annotations

import re
import threading
from codecs import getincrementaldecoder
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from fabric.devices.pace import clock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: No answer is longer: the configuration of a full chassis has a few megabytes.
LONGEST_ANSWER_CHARACTERS = 64 * 2**20
#: All answers to one reading of state together are no longer. Ours: a port of Junos has about 10 KB
#: in `show interfaces extensive`, and a switch 256 ports.
LONGEST_READING_CHARACTERS = 16 * 2**20
#: What is kept of an output to find its end in: longer than any mark or prompt.
_TAIL_LENGTH = 512
#: How long a session waits for data before it is checked how long nothing has come.
_WAIT_S = 0.05
_PIECE_BYTES = 2**16
#: How long a text that looks like a prompt stands last before the device is asked for it again.
SETTLED_S = 0.3
#: How many times as long a device may need for the prompt of an empty line.
_NO_TYPING_AHEAD = 10
#: The end of an echoed line tells it apart; a terminal may show less of a long one.
_ECHO_CHARACTERS = 30
_NOT_PRINTED = re.compile(r"[\s\x08]+")
#: A prompt, and the same once more for an empty line.
_REPEATED = re.compile(r"(?:\A|\n)(?P<prompt>[^\n]*[^\s])\s*(?P=prompt)(?P<blank> *)\Z")


#: Line ends of terminals, as netmiko reads them.
_LINE_END = re.compile(r"\r{0,3}\n|\n\r|\r")
#: What waits for the next piece: half a line end, half an escape sequence (ECMA-48, 5.4).
_UNFINISHED = re.compile(r"(?:\r+|\x1b(?:\[[0-?]*)?)\Z")


class AnswerTooLongError(Exception):
    """The device prints without end."""

    def __init__(self, most: int) -> None:
        super().__init__(f"its answer is longer than {most // 2**20} MiB; it was cut off")


class Allowance:
    """How much a device may say: in one answer, or in all answers to one call.

    Parameters
    ----------
    most : int
        Characters, or bytes where an answer is not decoded yet.
    """

    def __init__(self, most: int) -> None:
        self.most = self.left = most

    def take(self, count: int) -> None:
        """Count what the device said.

        Raises
        ------
        AnswerTooLongError
            When it is more than it may say.
        """
        self.left -= count
        if self.left < 0:
            raise AnswerTooLongError(self.most)


class _Thread(threading.local):
    """What a thread works on: a call of a driver."""

    allowance: Allowance | None = None


_thread = _Thread()


def allowance() -> Allowance:
    """Return what a device may still say to the call of this thread, or in an answer alone."""
    return _thread.allowance or Allowance(LONGEST_ANSWER_CHARACTERS)


@contextmanager
def allowed(most: int) -> Iterator[None]:
    """Let all answers to what this thread asks be no longer together."""
    before, _thread.allowance = _thread.allowance, Allowance(most)
    try:
        yield
    finally:
        _thread.allowance = before


def read_answer(
    session: Any,
    is_whole: Callable[[str, float], bool],
    quiet_s: float,
    *,
    wait_s: float = _WAIT_S,
) -> str:
    """Return what comes until ``is_whole`` says so of its last characters and of the silence.

    netmiko's own ``send_command`` waits out its whole timeout when the device goes away.

    Parameters
    ----------
    is_whole : callable
        Called with the last characters, and for how many seconds nothing has come.
    quiet_s : float
        How long the device may stay silent.
    wait_s : float
        How long to wait for data, which wakes the session, before ``is_whole`` is called again.

    Raises
    ------
    ConnectionError, TimeoutError, AnswerTooLongError
        When the device closes the session, falls silent, or prints without end.
    """
    channel, decoder = session.remote_conn, getincrementaldecoder("utf-8")("ignore")
    pieces, tail, held, last_s, can_say = [], "", "", clock.now(), allowance()
    while not is_whole(tail, clock.now() - last_s):
        received = _received(channel, wait_s)
        if received is None:
            if clock.now() - last_s > quiet_s:
                raise TimeoutError(f"no answer for {quiet_s:g} s")
            continue
        last_s = clock.now()
        text = held + decoder.decode(received)
        if "\x1b" in text:
            text = session.strip_ansi_escape_codes(text)
        unfinished = _UNFINISHED.search(text) if text[-1:] == "\r" or "\x1b" in text else None
        held = unfinished[0] if unfinished else ""
        data = _lines(text.removesuffix(held))
        can_say.take(len(data))
        pieces.append(data)
        tail = (tail + data)[-max(_TAIL_LENGTH, len(data)) :]
    return "".join(pieces)


def _lines(text: str) -> str:
    """Return a text whose lines end as here; most have plain line ends, which need no pattern."""
    plain = text.replace("\r\n", "\n")
    return _LINE_END.sub("\n", text) if "\r" in plain else plain


def _received(channel: Any, wait_s: float) -> bytes | None:
    """Return what comes next; None where nothing does for a moment.

    netmiko's own ``read_channel`` returns at once, with or without data: who waits by it spends
    its time on looking.

    Raises
    ------
    ConnectionError
        When the device has closed the session.
    """
    before_s = channel.gettimeout()
    channel.settimeout(wait_s)
    try:
        received: bytes = channel.recv(_PIECE_BYTES)
    except TimeoutError:
        return None
    finally:
        channel.settimeout(before_s)
    if not received:
        raise ConnectionError("the device closed the session")
    return received


class PromptReader:
    """Reads the answers of a command line.

    Parameters
    ----------
    prompt, question : re.Pattern
        Match at the very end of a text; the prompt is group ``prompt`` of its pattern.
    ours : callable
        Tells whether a prompt bears the name of the device: such a one needs no second look.
    """

    def __init__(
        self,
        session: Any,
        prompt: re.Pattern[str],
        question: re.Pattern[str],
        ours: Callable[[str], bool],
    ) -> None:
        self._session = session
        self._prompt = prompt
        self._question = question
        self._ours = ours

    def ask(self, line: str, quiet_s: float) -> tuple[str, str]:
        """Send a line; return what the device says to it, and its prompt: empty when it asks."""
        self._session.write_channel(f"{line}\n")
        before = self._read(quiet_s, line)
        return self._until_prompt(after_echo(before, line), quiet_s)

    def reply(self, word: str, quiet_s: float) -> tuple[str, str]:
        """Answer a question; return as `ask` does."""
        self._session.write_channel(f"{word}\n")
        said, prompt = self._until_prompt(self._read(quiet_s), quiet_s)
        first, _, rest = said.partition("\n")
        return (rest if first.strip() == word else said), prompt

    def first(self, quiet_s: float) -> tuple[str, str]:
        """Return what the device says at the login, and its prompt: empty when it asks."""
        return self._until_prompt(self._read(quiet_s), quiet_s)

    def _until_prompt(self, text: str, quiet_s: float) -> tuple[str, str]:
        """Return a text without its prompt, after reading on behind what only looks like one.

        Of every line that is sent the prompt is read: none is left to end a later answer.
        """
        while not _at_end(self._question, text):
            match = _at_end(self._prompt, text)
            if match and self._ours(match["prompt"]):
                return text[: match.start("prompt")], match["prompt"]
            self._session.write_channel("\n")
            text += self._read_repeated(text[-_TAIL_LENGTH:], quiet_s)
            repeated = self._repeated(text)
            if repeated:
                return text[: repeated.start("prompt")], repeated["prompt"]
        return text, ""

    def _read_repeated(self, before: str, quiet_s: float) -> str:
        """Read up to a question, or a prompt that stands there twice.

        A device that takes no line while it prints leaves it at one prompt.
        """

        def is_whole(tail: str, silent_s: float) -> bool:
            text = before + tail.replace("\r", "")
            if self._repeated(text):
                return True
            alone = tail and silent_s > _NO_TYPING_AHEAD * SETTLED_S and _at_end(self._prompt, text)
            return bool(alone) or _at_end(self._question, text) is not None

        return read_answer(self._session, is_whole, quiet_s).replace("\r", "")

    def _repeated(self, text: str) -> re.Match[str] | None:
        repeated = _REPEATED.search(text)
        is_prompt = repeated and self._prompt.search(f"\n{repeated['prompt']}")
        return repeated if is_prompt else None

    def _read(self, quiet_s: float, line: str = "") -> str:
        """Read up to a question or a prompt behind the echo of a line."""
        echo = _Echo(line)

        def is_whole(tail: str, silent_s: float) -> bool:
            text = tail.replace("\r", "")
            if not echo.is_in(text):
                return False
            if _at_end(self._question, text):
                return True
            match = _at_end(self._prompt, text)
            return match is not None and (self._ours(match["prompt"]) or silent_s > SETTLED_S)

        return read_answer(self._session, is_whole, quiet_s).replace("\r", "")


def _at_end(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """Return what matches at the end of a text, without a look at all of it."""
    return pattern.search(text, max(0, len(text) - _TAIL_LENGTH))


class _Echo:
    """Whether the echo of a line has come."""

    def __init__(self, line: str) -> None:
        self._end = _printed(line)[-_ECHO_CHARACTERS:]
        self._seen = not self._end

    def is_in(self, text: str) -> bool:
        """Remember that the echo was there: the text moves on."""
        self._seen = self._seen or self._end in _printed(text)
        return self._seen


def after_echo(text: str, line: str) -> str:
    """Return what stands behind the echo of a line; all of a text without it."""
    end, shown, position = _printed(line)[-_ECHO_CHARACTERS:], "", 0
    for piece in text.splitlines(keepends=True):
        shown += _printed(piece)
        position += len(piece)
        if end in shown:
            return text[position:]
    return text


def _printed(text: str) -> str:
    """Return a text without what a terminal adds to it: blanks, line ends, steps back."""
    return _NOT_PRINTED.sub("", text)
