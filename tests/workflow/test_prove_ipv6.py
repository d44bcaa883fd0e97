"""`prove` and IPv6: our engine proves it, and Batfish, which has none, is not asked."""

from __future__ import annotations

from typing import Literal

import pytest

from fabric.core.errors import InputError
from fabric.workflow.project import Project
from fabric.workflow.prove import Request, prove
from tests.cases import each
from tests.topology.fabrics import INVENTORY


@each(
    ("name", "families"),
    [("dual-stack", [False, True]), ("ipv6", [True])],
)
def test_each_family_is_proved(name: str, families: list[bool]) -> None:
    proved = prove(Project(INVENTORY / name), Request())
    assert proved.outcome.findings == ()
    assert proved.own
    proofs = [proved.own, *([proved.own.other] if proved.own.other else [])]
    assert [proof.is_ipv6 for proof in proofs] == families
    assert all(proof.pairs == 56 and not proof.lost_pairs for proof in proofs)


@each("engine", ["batfish", "both"])
@each("name", ["dual-stack", "ipv6"])
def test_batfish_is_not_said_to_prove_it(name: str, engine: Literal["batfish", "both"]) -> None:
    request = Request(engine=engine, service="localhost")
    with pytest.raises(InputError) as caught:
        prove(Project(INVENTORY / name), request)
    (finding,) = caught.value.findings
    assert finding.message.startswith("Batfish has no IPv6")
    assert finding.field == "fabric.addressing.ipv6"
    assert finding.position
