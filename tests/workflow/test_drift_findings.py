"""A look at a device as findings: one for each setting, by which it is known in later looks."""

from __future__ import annotations

from fabric.change.model import Change, Risk
from fabric.workflow.drift_findings import findings_of
from fabric.workflow.verify import Health

PLANNED = Change("interface Ethernet1/1: mtu 9214", "", "mtu 9214", Risk.BRIEF_LOSS)


def _looked(mtu: str) -> Health:
    line = f"mtu {mtu}"
    runs = Change(f"interface Ethernet1/1: {line}", line, "", Risk.BRIEF_LOSS)
    return Health("leaf1", "eos", (runs, PLANNED))


def test_a_value_that_changes_again_is_the_same_finding() -> None:
    (first,), (second,) = findings_of(_looked("1500")), findings_of(_looked("1600"))
    assert first.field == second.field == "interface Ethernet1/1: mtu"
    assert (first.message, second.running) == ("runs 1500, planned 9214", "1600")
