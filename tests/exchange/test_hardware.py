"""Patterns of port names, kinds of cages, and what readers take from an output."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.core.errors import InputError
from fabric.exchange.hardware.model import FrontPort, Hardware, Source, hardware_readers
from fabric.exchange.hardware.outputs import outputs
from fabric.exchange.hardware.panel import panel
from fabric.exchange.hardware.patterns import (
    Name,
    exactly,
    part_pattern,
    part_words,
    port_pattern,
    port_words,
)
from fabric.systems.eos.hardware import speed_word
from tests.exchange import saved_outputs as saved

HEADS = st.sampled_from(["Ethernet", "et-0/0/", "swp", "Eth1/", "400GE1/0/"])
WORDS = st.sampled_from(["number", "index", "lane"])


@given(HEADS, WORDS, st.sampled_from(["", "/1", "(Port{number})"]), st.integers(3, 70))
def test_names_of_a_pattern_give_a_pattern(head: str, word: str, tail: str, count: int) -> None:
    """Perhaps another one, but one that gives the same names."""
    whole = f"{head}{{{word}}}{tail}"
    words = [port_words(n, 8 * (n - 1)) for n in range(1, count + 1)]
    names = [Name(whole.format(**one), one) for one in words]
    pattern = port_pattern(names)
    one_word = "(" not in tail or word == "number"
    assert exactly(pattern, names) or not one_word


@given(HEADS, st.sampled_from(["ordinal", "letter", "part", "first"]), st.integers(2, 40))
def test_names_of_parts(head: str, word: str, count: int) -> None:
    """Of modes with two and with four parts together."""
    separator = "" if word == "letter" else ":"
    whole = f"{head}{{number}}{separator}{{{word}}}"
    words = [
        part_words(n, 8 * (n - 1), part, 8 // parts)
        for parts in (2, 4)
        for n in range(1, count + 1)
        for part in range(parts)
    ]
    names = [Name(whole.format(**one), one) for one in words]
    assert exactly(part_pattern(names), names)


def test_a_slip_of_a_vendor() -> None:
    """One alias of 64 is that of another port (sonic-buildimage, platform.json of the SN4600C)."""
    words = [part_words(n, 4 * (n - 1), part, 2) for n in range(1, 65) for part in range(2)]
    names = [Name("etp{number}{letter}".format(**one), one) for one in words]
    names[80] = Name("etp42a", names[80].words)
    assert part_pattern(names) == "etp{number}{letter}"
    assert not exactly("etp{number}{letter}", names)
    half = [Name("etp1a", one.words) if n % 2 else one for n, one in enumerate(names)]
    assert part_pattern(half) == ""


@pytest.mark.parametrize("text", ["Ethernet{0}", "{number}", "a1b2c3d4e5f6g7h8i9j0", ""])
def test_names_that_are_no_names(text: str) -> None:
    """Braces would be fields of the pattern; many groups of digits are no port."""
    assert port_pattern([Name(text, port_words(1, 0))] * 2) == ""
    assert part_pattern([Name(text, part_words(1, 0, 0, 1))] * 2) == ""


def _ports(*kinds: tuple[int, int, int]) -> tuple[FrontPort, ...]:
    """Return ports of (count, lanes, speed) whose names count by 4."""
    ports = [(lanes, speed) for count, lanes, speed in kinds for _ in range(count)]
    return tuple(
        FrontPort(
            f"Ethernet{4 * n}", f"etp{n + 1}", lanes, (speed,), tuple(range(4 * n, 4 * n + lanes))
        )
        for n, (lanes, speed) in enumerate(ports)
    )


def test_kinds_of_cages() -> None:
    """In the order of the panel; the step is that of the names; ports for service are apart."""
    hardware = Hardware("sonic", "Own", _ports((48, 1, 25), (8, 4, 100), (1, 1, 10)), "test")
    front = panel(hardware, "test")
    assert [(k.count, k.lanes, k.step, k.speeds_gbps) for k in front.kinds] == [
        (48, 1, 4, (25,)),
        (8, 4, 0, (100,)),
    ]
    assert [port.name for port in front.service_ports] == ["Ethernet224"]
    assert front.first_lanes == ()
    assert "Ethernet224" in str(front.notes[0])


def test_kinds_without_end() -> None:
    """Ports that change their kind all the time are parts of cages."""
    hardware = Hardware("sonic", "Own", _ports(*[(1, 1, 25), (1, 4, 100)] * 9), "test")
    with pytest.raises(InputError) as caught:
        panel(hardware, "test")
    assert "change their kind 17 times" in str(caught.value.findings[0])


WORD_CASES = {
    (400, 8): {100: "100g-4", 200: "200g-4", 400: "400g-8", 50: "50g-1"},
    (800, 8): {100: "100g-1", 200: "200g-2", 400: "400g-4", 800: "800g-8"},
    (100, 4): {10: "10g", 25: "25g", 40: "40g-4", 50: "50g-2", 100: "100g-4"},
    (25, 1): {10: "10g", 25: "25g", 40: "", 100: ""},
    (200, 4): {100: "100g-4", 200: "200g-4"},
}


@pytest.mark.parametrize(("fastest", "lanes"), WORD_CASES)
def test_speed_words_of_eos(fastest: int, lanes: int) -> None:
    """As those of the models that rocefab has: four lanes for 100G, unless a lane has 100G."""
    for speed, word in WORD_CASES[fastest, lanes].items():
        assert speed_word(fastest, lanes, speed) == word


def test_outputs_behind_prompts() -> None:
    """Commands, texts and lines; without a prompt the whole file is one output."""
    text = "motd\nleaf1# show version\nA\nB\nadmin@leaf1> show chassis hardware | no-more\nC\n"
    found = outputs((Source("a", "a", text), Source("b", "b", "D")))
    assert [(one.command, one.text.split(), one.line) for one in found] == [
        ("show version", ["A", "B"], 2),
        ("show chassis hardware | no-more", ["C"], 5),
        ("", ["D"], 1),
    ]


SAMPLES = {
    "eos": saved.EOS_VERSION + saved.eos_hardware(2),
    "eos-json": saved.eos_json()[2],
    "nxos": saved.NXOS_MODULE,
    "nxos-json": saved.NXOS_JSON,
    "junos": saved.JUNOS_TEXT,
    "junos-xml": saved.JUNOS_XML,
    "junos-json": saved.JUNOS_JSON,
    "sonic": saved.port_config(2),
    "sonic-json": saved.platform_json(2),
}
FILES = {"sonic": "x/y/port_config.ini", "sonic-json": "x/platform.json"}


#: Texts that a search with many ways to match would read for minutes.
LONG: dict[str, Callable[[], str]] = {
    "lines of blanks": lambda: "Ethernet1/1\n  Speed/Duplex: 10G/full\n" + f"\n{' ' * 9}" * 200_000,
    "prompts": lambda: "a#show x\n" * 200_000,
    "blocks": lambda: "Ethernet1/1\n  Speed: 400000\n  Speed/Duplex: 400G/full\n" * 30_000,
    "modules": lambda: f"1    54   {'a ' * 30}\n" * 30_000,
    "one module": lambda: f"1    54   {'a ' * 1_000_000}",
    "names": lambda: f"Arista DCS-7A{'-F' * 1_000_000}x",
    "brackets": lambda: "[" * 1_000_000,
    "objects": lambda: '{"a":' * 300_000,
    "profile": lambda: "SAI_INIT_CONFIG_FILE=" * 50_000,
}


@pytest.mark.parametrize("case", LONG)
@pytest.mark.parametrize("name", ["a.txt", "x/sai.profile"])
def test_long_outputs(case: str, name: str) -> None:
    """Each is read once; a search that starts again and again takes minutes here."""
    source = Source(name, "a", LONG[case]())
    ports = Source("x/port_config.ini", "b", saved.port_config())
    for nos in hardware_readers:
        with suppress(InputError):
            hardware_readers[nos]((source, ports))


@pytest.mark.parametrize("case", SAMPLES)
def test_cut_outputs(case: str) -> None:
    """An output that ends anywhere is read, is not of the system, or is an error; never a crash."""
    text = SAMPLES[case]
    for end in range(0, len(text), max(1, len(text) // 97)):
        source = Source(FILES.get(case, "a"), "a", text[:end])
        for nos in hardware_readers:
            try:
                hardware = hardware_readers[nos]((source,))
                if hardware:
                    panel(hardware, "a")
            except InputError as error:
                assert error.findings


@given(
    st.dictionaries(
        st.sampled_from([
            "interfaces",
            "TABLE_modinfo",
            "chassis-inventory",
            "lanes",
            "modelName",
            "xcvrSlots",
            "systemInformation",
            "Ethernet0",
            "breakout_modes",
            "modes",
        ]),
        st.recursive(
            st.none() | st.integers() | st.text(max_size=5),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from([
                        "lanes",
                        "modes",
                        "link",
                        "Ethernet0",
                        "ROW_modinfo",
                        "model",
                        "data",
                        "name",
                        "breakout_modes",
                        "alias_at_lanes",
                    ]),
                    inner,
                    max_size=4,
                )
            ),
            max_leaves=12,
        ),
        max_size=4,
    )
)
def test_json_of_wrong_types(data: dict[str, object]) -> None:
    """Whatever stands where."""
    for name in ("x/platform.json", "x/y.json"):
        source = Source(name, "a", json.dumps(data))
        for nos in hardware_readers:
            try:
                hardware_readers[nos]((source,))
            except InputError as error:
                assert error.findings
