"""Symptoms go to their causes as a plain search over all of them says."""

from __future__ import annotations

from math import inf, isfinite

from hypothesis import given
from hypothesis import strategies as st

from fabric.core.findings import Severity
from fabric.health.cause import Cause, ends_at
from fabric.health.folding import AMPLIFIED, folded

signs = st.frozensets(st.integers(0, 40), max_size=3)
causes = st.lists(
    st.builds(
        Cause,
        rule=st.just("OBS101"),
        severity=st.just(Severity.ERROR),
        message=st.just("m"),
        fix=st.just("f"),
        device=st.integers(0, 10**6).map(str),
        about=signs,
        explains=signs,
        lost=st.sampled_from([0.0, 1.0, 5.0, inf]),
        missed=st.sampled_from([0.0, 0.0, 1.0, AMPLIFIED, 3 * AMPLIFIED]),
    ),
    max_size=25,
)


def plain(told: list[Cause]) -> list[tuple[str, list[str]]]:
    """Return the devices of the roots, each with those of its symptoms."""
    roots: list[tuple[Cause, frozenset[int], list[str]]] = []
    for cause in told:
        places = [n for n, one in enumerate(roots) if cause.about and cause.about <= one[1]]
        place = places[0] if places else None
        if cause.missed:
            enough = [n for n, one in enumerate(roots) if one[0].lost * AMPLIFIED >= cause.missed]
            order = [
                (bool(ends_at(one[0].about | one[1]) & ends_at(cause.about)), isfinite(one[0].lost))
                for one in roots
            ]
            place = max(
                enough, key=lambda n, order=order: (*order[n], roots[n][0].lost), default=None
            )
        if place is None:
            roots.append((cause, cause.explains, []))
        else:
            root, explains, symptoms = roots[place]
            roots[place] = root, explains | cause.explains, [*symptoms, cause.device]
    return [(root.device, symptoms) for root, _, symptoms in roots]


@given(causes)
def test_as_a_plain_search(told) -> None:
    fast = [(one.device, [line.partition(":")[0] for line in one.evidence]) for one in folded(told)]
    assert fast == plain(told)
