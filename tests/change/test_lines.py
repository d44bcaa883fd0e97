"""Systems of lines below lines: what is ours, what is not, and patches on a strict switch.

Running and patch are intended, and the patch back brings what ran, to the letter.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.devices.redaction import redacted
from fabric.observe.snapshot import Running
from tests.cases import each, examples
from tests.systems.comware7.line_cases import COMWARE7
from tests.systems.nxos.line_cases import NXOS
from tests.systems.vrp8.line_cases import FAMILY_A, FAMILY_B

SYSTEMS = (NXOS, FAMILY_B, COMWARE7)
SWITCHES = (*SYSTEMS, FAMILY_A)


def rows(cases):
    """Return the rows of a table of each system, with the system before them."""
    return [
        (system, *(row if isinstance(row, tuple) else (row,)))
        for system in SYSTEMS
        for row in cases(system)
    ]


#: Each system with each of its states.
STATES = [
    pytest.param(system, name, id=f"{system.name}-{name}")
    for system in SWITCHES
    for name in system.state_names
]


@each(("system", "name"), rows(lambda system: system.kept))
def test_what_is_not_ours_is_kept(system, name):
    adapter = system.adapter
    running = adapter.read(f"{system.head}{system.kept[name]}\n")
    target = adapter.compose(running, adapter.read(system.intended))
    assert set(adapter.read(f"{system.kept[name]}\n").lines()) <= set(target.lines())
    assert set(adapter.read(system.intended).lines()) <= set(target.lines())
    assert system.removed(adapter.patch(running, target)) == []


@each(("system", "name"), rows(lambda system: system.ours))
def test_what_is_ours_is_replaced(system, name):
    adapter = system.adapter
    running = adapter.read(f"{system.ours[name]}\n{system.foot}")
    target = adapter.compose(running, adapter.read(system.intended))
    gone = set(running.lines()) - system.stays
    assert gone
    assert not gone & set(target.lines())
    assert {step.path for step in adapter.steps(running, target) if not step.adds} == gone


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_what_a_switch_does_not_print_is_not_missing(system):
    adapter = system.adapter
    intended, printed = map(adapter.read, system.same)
    target = adapter.compose(printed, intended)
    assert adapter.steps(printed, target) == []
    assert adapter.patch(printed, target) == []


@each(("system", "line", "risk"), rows(lambda system: system.risks.items()))
def test_risk_of_a_line(system, line, risk):
    assert system.adapter.grammar.risk_of(line) is risk


@each(("system", "line", "negation"), rows(lambda system: system.negations.items()))
def test_negation_of_a_line(system, line, negation):
    assert system.adapter.grammar.negated(line) == negation


@each(("system", "line"), rows(lambda system: system.secrets))
def test_secrets_are_hidden(system, line):
    assert "HUNTER2" not in redacted(line)


class Artefact:
    kind = "running-config"

    def __init__(self, text):
        self.text = text


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_draft_names_paths_and_hides_secrets(system):
    case, adapter = system.draft, system.adapter
    before, after = (
        Running("leaf1", "", text, text, None, {}) for text in (case.running, case.intended)
    )
    artefacts = [Artefact(case.intended)]
    draft = adapter.draft(before, artefacts, None)
    assert "HUNTER2" in case.running
    assert "HUNTER2" not in draft.diff
    assert "HUNTER2" not in repr(draft.changes)
    assert draft.diff == case.diff
    assert adapter.apart(before, after) == {change.path for change in draft.changes}
    assert adapter.draft(after, artefacts, None).diff == ""


# -- Patches on the lab's switch, which is strict.


@pytest.mark.parametrize("system", SWITCHES, ids=lambda system: system.name)
def test_names_are_those_of_different_states(system):
    assert set(system.state_names) == set(system.states)
    assert len(set(system.states.values())) == len(system.state_names)


@each(("system", "name"), STATES)
def test_from_the_box_and_back(system, name):
    switch, intended = system.switch(), system.states[name]
    fresh, text = switch.read(), switch.text
    switch.become(intended)
    assert switch.left(intended) == []
    assert system.route in switch.text
    switch.send(system.adapter.patch(switch.read(), fresh))
    assert switch.text == text


@pytest.mark.parametrize(("system", "first"), STATES)
def test_from_each_state_to_each_other_and_back(system, first):
    """One switch goes there and back again, from the same state each time."""
    switch = system.switch()
    switch.become(system.states[first])
    before, text = switch.read(), switch.text
    for second in system.state_names:
        if second == first:
            continue
        switch.become(system.states[second])
        assert switch.left(system.states[second]) == [], second
        switch.send(system.adapter.patch(switch.read(), before))
        assert switch.text == text, second


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
@examples(50)
@given(data=st.data())
def test_hand_edits_of_ports_go_away(system, data):
    edit = st.tuples(st.sampled_from(system.ports), st.sampled_from(system.edits))
    edits = data.draw(st.lists(edit, max_size=8))
    intended = system.states[data.draw(st.sampled_from(system.state_names))]
    switch = system.switch()
    switch.become(intended)
    clean = switch.text
    for port, line in edits:
        try:
            switch.send([f"interface {port}", f"{system.adapter.grammar.indent}{line}"])
        except ValueError:
            continue
    switch.become(intended)
    assert switch.left(intended) == []
    if not system.special_ports.intersection(port for port, _ in edits):
        assert switch.text == clean


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_a_rollback_removes_the_address_of_a_port_that_it_empties(system):
    """The port stays, since it is hardware; another one may get the address."""
    port = system.ports[0]
    address = "10.0.0.1/31" if system is NXOS else "10.0.0.1 255.255.255.254"
    running = system.adapter.read(f"interface {port}\n ip address {address}\n")
    lines = [
        line.strip() for line in system.adapter.patch(running, system.adapter.read(system.head))
    ]
    negation = system.adapter.grammar.negated(f"ip address {address}")
    assert lines[:2] == [f"interface {port}", negation]
