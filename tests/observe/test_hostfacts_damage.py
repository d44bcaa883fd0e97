"""Damaged outputs of host tools are unreadable, or say nothing that the whole did not say."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.observe.hostfacts import readers
from fabric.observe.parsers import UnreadableError
from tests.cases import each, examples
from tests.observe.test_hostfacts import SAMPLE_NAMES, reading_of, text_of

TEXTS = [name for name in SAMPLE_NAMES if name.endswith(".txt")]
JSON = [name for name in SAMPLE_NAMES if name.endswith(".json")]
MARKS = ["\x1b[7m", "\x1b[K", "--More--", "\x08\x08", "\r"]


def _read(name: str, text: str) -> Any:
    """Return the value, or None when it is unreadable; any other exception fails the test."""
    try:
        return readers[reading_of(name)].parse(text)
    except UnreadableError:
        return None


def _part(result: Any, whole: Any) -> bool:
    """Return whether every value of ``result`` is one of ``whole``, or unknown."""
    if result is None or result == whole:
        return True
    if type(result) is not type(whole):
        return False
    if is_dataclass(result):
        names = [field.name for field in fields(result)]
        return all(_part(getattr(result, name), getattr(whole, name)) for name in names)
    if isinstance(result, Mapping):
        return all(key in whole and _part(value, whole[key]) for key, value in result.items())
    if isinstance(result, tuple):
        return all(any(_part(item, other) for other in whole) for item in result)
    return False


def test_parts() -> None:
    """What the other tests rely on."""
    assert _part((1, None), (1, 2))
    assert _part({"a": 1}, {"a": 1, "b": 2})
    assert not _part({"a": 2}, {"a": 1})
    assert not _part((3,), (1, 2))
    assert not _part("1", 1)


@each("name", SAMPLE_NAMES)
@pytest.mark.fault(17)
def test_every_cut_is_noticed_or_says_less(name: str) -> None:
    """At each character."""
    text = text_of(name)
    whole = _read(name, text)
    assert whole
    for length in range(len(text)):
        result = _read(name, text[:length])
        if reading_of(name) == "traffic_class" and length == 0:
            continue  # an empty file says that there is no override
        assert _part(result, whole), text[:length][-40:]


@each("name", sorted(set(TEXTS) - {"mlnx_qos.txt"}))
def test_a_missing_line_is_noticed_or_says_less(name: str) -> None:
    """Somewhere in the middle; of mlnx_qos see the damage of its parser."""
    lines = text_of(name).splitlines(keepends=True)
    whole = _read(name, "".join(lines))
    for number in range(len(lines)):
        result = _read(name, "".join(lines[:number] + lines[number + 1 :]))
        assert _part(result, whole), lines[number]


@examples(10)
@given(number=st.integers(0, 2**32))
@pytest.mark.fault(17)
def test_marks_of_a_pager_or_terminal_are_noticed(number: int) -> None:
    """Wherever they stand; only nvidia-smi colours its output itself."""
    for name, mark in product(SAMPLE_NAMES, MARKS):
        text = text_of(name)
        place = number % (len(text) - 1)
        if mark == "\r" and text[place:].removeprefix("\x1b[0m").startswith("\n"):
            continue  # the end of a line as terminals write it, behind its colour or before
        result = _read(name, text[:place] + mark + text[place:])
        if name == "nvidia_topo.txt" and mark == "\x1b[7m":
            assert _part(result, _read(name, text))
        else:
            assert result is None, (name, mark)


@each("name", SAMPLE_NAMES)
def test_line_ends_of_a_terminal_are_fine(name: str) -> None:
    """CR LF is LF."""
    text = text_of(name)
    assert _read(name, text.replace("\n", "\r\n")) == _read(name, text)


@given(
    number=st.integers(0, 2**32),
    length=st.integers(0, 30),
    middle=st.sampled_from([
        *("", "0", "9", " ", "\n", "\t", "x", "{", "}", "null", "[]", "é", '"', ":", "-1"),
        *("9" * 5000, "<", "</", "&lt;", "\x00", "\udcff", "٣", "²", "true", "1e400", "NaN"),
    ]),
)
def test_no_other_exception(number: int, length: int, middle: str) -> None:
    """Whatever is put in, taken out or replaced: a value of the same kind, or unreadable."""
    for name in SAMPLE_NAMES:
        text = text_of(name)
        start = number % (len(text) + 1)
        result = _read(name, text[:start] + middle + text[start + length :])
        assert result is None or isinstance(result, type(_read(name, text))), name


@examples(30)
@given(text=st.text(max_size=60) | st.recursive(st.none() | st.text(max_size=5), st.lists).map(str))
@pytest.mark.fault(17)
def test_rubbish(text: str) -> None:
    """Is unreadable, or says nothing."""
    for name in SAMPLE_NAMES:
        nothing = (None, (), {}, frozenset(), _read(name, "{}"), _read(name, ""))
        assert _read(name, text) in nothing, name


@each("name", SAMPLE_NAMES)
def test_an_empty_output_is_unreadable(name: str) -> None:
    """But for the file whose emptiness says something."""
    for text in ("", "\n", " \n\n"):
        assert (_read(name, text) is not None) == (name == "traffic_class.txt")


@pytest.mark.parametrize(
    ("name", "word", "translated"),
    [
        ("ethtool.txt", "Link detected", "Verbindung erkannt"),
        ("ethtool.txt", "Settings for", "Einstellungen für"),
        ("ethtool.txt", ": yes", ": ja"),
        ("ethtool_pause.txt", ":\t\toff", ":\t\taus"),
        ("ethtool_statistics.txt", "NIC statistics", "网卡统计"),
        ("ethtool_fec.txt", "Active FEC encoding", "FEC actif"),
        ("ibstat.txt", "Link layer", "Verbindungsschicht"),
        ("ibstat.txt", "Active", "Aktiv"),
        ("ibdev2netdev.txt", "(Up)", "(Aktiv)"),
        ("mlnx_qos.txt", "enabled", "aktiviert"),
        ("sysfs_class.txt", "total", "insgesamt"),
    ],
)
def test_other_languages_are_unreadable(name: str, word: str, translated: str) -> None:
    """Nobody guesses."""
    assert word in text_of(name)
    assert _read(name, text_of(name).replace(word, translated)) is None


@each("name", JSON)
def test_json_that_contradicts_itself(name: str) -> None:
    """A member that stands twice has no value."""
    twice = text_of(name).replace("{", '{"port": 1, "port": 1, ', 1)
    assert _read(name, twice) is None


NAMES = ["mlx5_1", "eth1", "su1-leaf1", "Ethernet1/5", "0000:4b:00.0", "NVIDIA H100 80GB HBM3"]
NAMES += ["np_cnp_sent", "rx_packets", "MT4129", "28.39.1002", "mlx5_core", "CNP_DSCP_P1", "rail2"]
HOSTILE = [
    "$(reboot)",
    "a;reboot",
    "`id`",
    "../../etc",
    "x" * 300,
    "\x1b[31mred",
    "eth1\nmlx5_9",
    "éth1",
    "\udcff",
    "eth1\x00",
    "a|b",
    "--help",
    "it's",
    "\u202emlx5",
    "&amp;",
]


@each("name", SAMPLE_NAMES)
@each("hostile", HOSTILE)
@pytest.mark.fault(20)
def test_hostile_names_do_not_pass(name: str, hostile: str) -> None:
    """In the place of each name that the sample has."""
    text = text_of(name)
    put = json.dumps(hostile)[1:-1] if name in JSON else hostile
    for old in NAMES:
        if old not in text:
            continue
        result = _read(name, text.replace(old, put))
        reported = repr(result)
        assert hostile not in reported, old
        assert repr(hostile)[1:-1] not in reported, old


@contextmanager
def _not_forever(seconds: float) -> Iterator[None]:
    """Stop what would run for hours; what is linear takes a fraction of a second."""

    def stop(_signal: int, _frame: object) -> None:
        pytest.fail(f"still running after {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


MEGABYTE = 1_000_000


@pytest.mark.parametrize("name", SAMPLE_NAMES)
def test_a_megabyte_takes_no_eternity(name: str) -> None:
    """Of blanks, line ends, digits, brackets; alone, behind each line and instead of the lines."""
    text = text_of(name)
    head, _, rest = text.partition("\n")
    with _not_forever(30):
        for filling in (" ", "\n", "\t", "-", "a", "1", "[", "0:", "More "):
            much = filling * (MEGABYTE // len(filling))
            for whole in (much, head + much, f"{head}\n{much}\n{rest}", f"{head}\n{much}x\n{rest}"):
                _read(name, whole)
        _read(name, text * (MEGABYTE // len(text)))
        _read(name, head + "\n" + rest * (MEGABYTE // max(len(rest), 1)))
