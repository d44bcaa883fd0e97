"""What to write in place of a name that does not exist."""

from __future__ import annotations

import pytest

from fabric.core.errors import InputError
from fabric.platforms.catalogue import Skus
from fabric.topology.naming import hint
from fabric.workflow.init_ports import model_of, ports_of

HOSTS = [f"gpu{number:02}" for number in range(1, 97)]


@pytest.mark.parametrize(
    ("name", "meant"), [("gpu1", "gpu01"), ("gpu010", "gpu10"), ("gpu0009", "gpu09")]
)
def test_zeros_before_a_number_come_first(name: str, meant: str) -> None:
    assert hint("host", name, HOSTS) == f"did you mean '{meant}'?"


def test_no_split_is_proposed_that_does_not_help() -> None:
    leaf = model_of("S9820-64H", "", Skus())
    with pytest.raises(InputError) as refused:
        ports_of(leaf, leaf, 400)
    assert "--split" not in refused.value.findings[0].fix
