"""show defects: by system, model and release, and what is said of facts that end or grow old."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from fabric.core.errors import InputError
from fabric.defects.book import facts
from fabric.report.defects import defect_details, defects, state


def shown(**asked: str) -> dict[str, str]:
    """Return the state of the facts that are shown, by id."""
    return {row[0]: row[4] for row in defects(**asked).rows}


def test_a_release_of_a_system_has_its_own_defects() -> None:
    found = shown(system="sonic", release="202405")
    assert found["DEF008"] == "last seen in 202405"
    assert "DEF004" not in found
    assert {"sonic"} == {name for fact in found for name in facts()[fact].systems}
    assert found.keys() < shown(system="sonic").keys() < shown().keys()


def test_a_release_alone_is_of_the_systems_that_write_it_so() -> None:
    """The form of 5.14 is that of Cumulus Linux, EOS and Enterprise SONiC."""
    found = shown(release="5.14")
    assert {"DEF010", "DEF053"} < found.keys()
    assert not any("sonic" in facts()[fact].systems for fact in found)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        pytest.param({"system": "sonci"}, "unknown system 'sonci'", id="system"),
        pytest.param(
            {"release": "banana"}, "'banana' is not a release of any system", id="release"
        ),
        pytest.param(
            {"system": "sonic", "release": "5.14"},
            "'5.14' is not a release of sonic",
            id="of another",
        ),
        pytest.param(
            {"sku": "SN5600", "system": "sonic"}, "SN5600 runs cumulus, not sonic", id="model"
        ),
    ],
)
def test_what_is_unknown_is_rejected(asked: dict[str, str], message: str) -> None:
    with pytest.raises(InputError) as caught:
        defects(**asked)
    [finding] = caught.value.findings
    assert finding.message == message
    assert finding.fix


def test_the_state_says_that_a_fact_ends_and_that_it_is_old() -> None:
    fact = facts()["DEF036"]
    later = fact.checked.last + timedelta(366)
    assert state(fact, fact.checked.last) == "fixed in 202211"
    assert state(fact, later) == f"fixed in 202211; not confirmed since {fact.checked.last}"
    assert state(facts()["DEF015"], date(2026, 12, 1)) == "open"


#: What `explain` says of where a fact strikes.
CONDITIONS = {
    "DEF001": "BUFFER_POOL|ingress_lossless_pool size + xoff is at least 267196860",
    "DEF003": "watchdog is true; watchdog_action is drop",
    "DEF004": ("watchdog is true; no FLEX_COUNTER_TABLE|PORT FLEX_COUNTER_STATUS is disable"),
    "DEF015": "a step: PFC_WD|* action is changed",
    "DEF054": "pfc is true; no line `queue-limit *`",
}


@pytest.mark.parametrize("fact", CONDITIONS)
def test_explain_says_where_a_fact_strikes(fact: str) -> None:
    assert dict(defect_details(fact).rows)["where"] == CONDITIONS[fact]
