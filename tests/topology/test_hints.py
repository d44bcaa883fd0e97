"""What to write in place of a name that does not exist."""

from __future__ import annotations

import pytest

from fabric.core.errors import InputError
from fabric.platforms.catalogue import Skus
from fabric.topology.naming import hint, port_hint
from fabric.workflow.init_ports import model_of, ports_of

HOSTS = [f"gpu{number:02}" for number in range(1, 97)]


@pytest.mark.parametrize(
    ("name", "meant"), [("gpu1", "gpu01"), ("gpu010", "gpu10"), ("gpu0009", "gpu09")]
)
def test_zeros_before_a_number_come_first(name: str, meant: str) -> None:
    assert hint("host", name, HOSTS) == f"did you mean '{meant}'?"


SPINE = [f"Ethernet{cage}/{part}" for cage in range(1, 65) for part in (1, 5)]
LEAF = [f"Ethernet{number}" for number in range(0, 512, 8)]
PODS = ["a-spine01", "b-spine01"]
MANY = [f"pod{pod}-spine01" for pod in range(1, 6)]
#: Kind, name, what there is -> what the message says.
NAMES = {
    "goes on with another number": (
        "port",
        "Ethernet1",
        SPINE,
        "did you mean 'Ethernet1/1' or 'Ethernet1/5'?",
    ),
    "nearest number": ("port", "Ethernet1", LEAF, "did you mean 'Ethernet0'?"),
    "nearest part": ("port", "Ethernet9/4", SPINE, "did you mean 'Ethernet9/5'?"),
    # more digits than Python reads as a number
    "endless number": ("port", f"Ethernet{'0' * 5000}9", LEAF, "did you mean 'Ethernet8'?"),
    "beyond the range": ("host", "gpu097", HOSTS, "known: gpu[01-96]"),
    "letters": ("host", "gpx05", HOSTS, "did you mean 'gpu05'?"),
    "the end of two": ("switch", "spine01", PODS, "did you mean 'a-spine01' or 'b-spine01'?"),
    "the end of many": ("switch", "spine01", MANY, "did you mean one of 5: pod[1-5]-spine01?"),
    "spelled like two": (
        "switch",
        "x-spine01",
        PODS,
        "did you mean 'a-spine01' or 'b-spine01'?",
    ),
    "nothing like it": ("port", "swp1", SPINE, "`rocefab show links` lists them"),
}


@pytest.mark.parametrize("case", NAMES)
def test_the_name_that_is_probably_meant(case: str) -> None:
    kind, name, known, words = NAMES[case]
    assert hint(kind, name, known) == words


def test_no_split_is_proposed_that_does_not_help() -> None:
    leaf = model_of("S9820-64H", "", Skus())
    with pytest.raises(InputError) as refused:
        ports_of(leaf, leaf, 400)
    assert "--split" not in refused.value.findings[0].fix


@pytest.mark.parametrize(
    ("model", "name", "fix"),
    [
        ("Z9664F-ON", "Eth1/2", "did you mean 'Ethernet4'?"),
        ("ACS-MSN4700", "ETP2", "did you mean 'Ethernet8'?"),
        ("Z9664F-ON", "Ethernet5", "did you mean 'Ethernet4'?"),
    ],
)
def test_a_port_by_its_alias(model: str, name: str, fix: str) -> None:
    """It is printed on the panel, or is the name in another mode of the system."""
    assert port_hint(Skus()[model], name) == fix
