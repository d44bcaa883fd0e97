"""Any query in any state: an answer or an InputError, and what holds for all answers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.core.errors import InputError
from fabric.placement.engine.engine import Engine
from fabric.placement.engine.layout import DIMENSIONS, Layout
from fabric.placement.engine.query import Answer, Query, Within
from fabric.placement.engine.state import Condition, Health, RunningJob, State
from fabric.placement.engine.traffic import RING, Collective, Traffic
from fabric.topology import Fabric
from fabric.topology.naming import nic_names
from tests.cases import examples
from tests.placement.instances import Shape, built
from tests.topology.fabrics import example

FABRICS = ("demo", "explicit", "three-tier", "dual-tor", "rail-only", "mixed")
SHAPES = (Shape((4, 4, 8), spines=2, uplink_gbps=200), Shape((2, 3, 2, 3), 2, 2, pods=2, supers=4))
HOSTILE = st.one_of(st.text(max_size=8), st.sampled_from(["", ":", "{{x}}", "!!a", "../x", "a\nb"]))
WHOLE = st.one_of(st.integers(-2, 9), st.sampled_from([10**6, 10**12, 2**63, 10**30]))
SHARE = st.floats(allow_nan=True, allow_infinity=True)


def networks() -> st.SearchStrategy[Fabric]:
    return st.sampled_from([*map(example, FABRICS), *map(built, SHAPES)])


def subjects(fabric: Fabric) -> list[str]:
    """Return hosts, switches and ends of cables of a fabric."""
    switches, up = fabric.switches, fabric.uplinks
    ends = zip([*up.lower, *up.upper], [*up.lower_port, *up.upper_port], strict=True)
    ports = [f"{switches.names[row]}:{switches.skus[row].port(int(port))}" for row, port in ends]
    host = fabric.hosts.names[0]
    nics = [f"{host}:{nic.interface}" for nic in nic_names(fabric, host)]
    return [*fabric.hosts.names, *switches.names, *ports, *nics]


def names(fabric: Fabric, *, hostile: bool) -> st.SearchStrategy[tuple[str, ...]]:
    known = st.sampled_from(fabric.hosts.names)
    one = st.one_of(known, HOSTILE) if hostile else known
    return st.lists(one, max_size=4, unique=not hostile).map(tuple)


def traffics(*, hostile: bool) -> st.SearchStrategy[Traffic]:
    kinds = st.lists(
        st.tuples(st.sampled_from(list(Collective)), st.floats(0.1, 9)),
        min_size=1,
        max_size=4,
        unique_by=lambda item: item[0],
    ).map(tuple)
    sizes = st.dictionaries(st.sampled_from(DIMENSIONS), WHOLE.filter(lambda size: size > 0))
    layout = st.builds(Layout, sizes) if hostile else st.none()
    return st.builds(Traffic, kinds, st.one_of(st.none(), layout), st.booleans())


def states(fabric: Fabric, *, hostile: bool) -> st.SearchStrategy[State]:
    subject = st.sampled_from(subjects(fabric))
    condition = st.builds(
        Condition,
        st.one_of(subject, HOSTILE) if hostile else subject,
        st.sampled_from(list(Health)),
        HOSTILE if hostile else st.just(""),
        SHARE if hostile else st.floats(0.1, 1),
    )
    job = st.builds(
        RunningJob,
        HOSTILE,
        names(fabric, hostile=hostile).filter(lambda hosts: hostile or hosts),
        traffics(hostile=hostile),
    )
    return st.builds(
        State, st.lists(condition, max_size=4).map(tuple), st.tuples(job) | st.just(())
    )


def queries(fabric: Fabric, *, hostile: bool) -> st.SearchStrategy[Query]:
    if not hostile:
        return st.builds(
            Query,
            st.integers(1, len(fabric.hosts)),
            traffic=traffics(hostile=False),
            exclude=names(fabric, hostile=False),
            target=st.sampled_from([0.0, 0.5, 1.0]),
        )
    optional = st.one_of(st.none(), WHOLE)
    some = names(fabric, hostile=True)
    return st.builds(
        Query, WHOLE, optional, traffics(hostile=True), some, some, some,
        st.one_of(st.none(), st.sampled_from(list(Within))), optional, optional,
        st.one_of(st.floats(0, 1), SHARE), st.one_of(st.floats(0, 1), SHARE), optional,
    )  # fmt: skip


def placed(fabric: Fabric, state: State, query: Query) -> Answer | None:
    try:
        return Engine(fabric, state).place(query)
    except InputError as error:
        assert error.findings
        assert all(finding.fix and "\n" not in str(finding) for finding in error.findings)
        return None


@examples(400, derandomize=True)
@given(st.data())
def test_an_answer_or_an_input_error(data: st.DataObject) -> None:
    fabric = data.draw(networks())
    state = data.draw(st.one_of(st.just(State()), states(fabric, hostile=True)))
    query = data.draw(queries(fabric, hostile=True))
    answer = placed(fabric, state, query)
    if answer:
        assert len(set(answer.rows.tolist())) == query.nodes
        assert answer.gap >= 0
        assert np.isfinite(answer.load)


@examples(150, derandomize=True)
@given(st.data())
def test_what_holds_for_every_answer(data: st.DataObject) -> None:
    """It repeats itself, and uses no host that is excluded, down or busy."""
    fabric = data.draw(networks())
    state = data.draw(states(fabric, hostile=False))
    query = data.draw(queries(fabric, hostile=False))
    answer = placed(fabric, state, query)
    turned = replace(query, exclude=tuple(data.draw(st.permutations(query.exclude))))
    again = placed(fabric, state, turned)
    if answer is None:
        assert again is None
        return
    assert again is not None
    assert replace(again, rows=answer.rows) == answer
    assert again.rows.tolist() == answer.rows.tolist()
    chosen = {fabric.hosts.names[row] for row in answer.rows.tolist()}
    last = {one.subject: one.health for one in state.conditions}
    down = {subject for subject, health in last.items() if health is not Health.DEGRADED}
    assert chosen.isdisjoint({*query.exclude, *down, *(h for job in state.jobs for h in job.hosts)})
    assert answer.bound <= max(answer.load, query.target) * (1 + 1e-9)


@examples(150, derandomize=True)
@given(st.data())
def test_less_choice_and_more_jobs_are_never_better(data: st.DataObject) -> None:
    """Without a host that was not chosen; with one more job on the links of the same hosts."""
    fabric = data.draw(networks())
    state = State(data.draw(states(fabric, hostile=False)).conditions)
    query = data.draw(queries(fabric, hostile=False))
    answer = placed(fabric, state, query)
    if answer is None:
        return
    chosen = answer.rows.tolist()
    rest = [name for row, name in enumerate(fabric.hosts.names) if row not in chosen]
    if not rest:
        return
    other = data.draw(st.sampled_from(rest))
    without = placed(fabric, state, replace(query, exclude=(*query.exclude, other)))
    # A job that no longer fits a pod, or the healthy hosts, has more choice than before.
    tried = [] if without is None else [answer, without]
    if without and not any(one.graded or one.pod_crossings for one in tried):
        fewer, before = max(without.load, query.target), max(answer.load, query.target)
        assert fewer >= before * (1 - 1e-9) or answer.gap > 0
        assert without.bound >= answer.bound * (1 - 1e-9)
    hosts = data.draw(st.lists(st.sampled_from(rest), min_size=1, unique=True).map(tuple))
    job = RunningJob("other", hosts, RING)
    same = replace(query, exclude=(), hosts=tuple(fabric.hosts.names[row] for row in chosen))
    busier = placed(fabric, replace(state, jobs=(job,)), same)
    assert busier is not None
    assert busier.load >= answer.load * (1 - 1e-9)
    assert busier.rate <= answer.rate * (1 + 1e-9)


@pytest.mark.parametrize("count", [10**6, 10**12, 10**30])
def test_huge_numbers_of_nodes_take_no_memory(count: int) -> None:
    fabric = built(SHAPES[0])
    assert placed(fabric, State(), Query(count)) is None
    layout = replace(RING, layout=Layout({"dp": count * 2}))
    assert placed(fabric, State(), Query(count, traffic=layout)) is None
