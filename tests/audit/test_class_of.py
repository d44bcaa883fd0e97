"""The class of a lossless priority, where its number is no class."""

from __future__ import annotations

import pytest

from fabric.audit.adoption.traits import class_of
from fabric.observe.configuration.lossless import Marking, PortPolicy

#: DSCP to class, priority to the queue that it stops, class to queue, marked queues -> the class
#: of priority 3.
CASES = {
    "its number is a class": ({26: 3, 0: 0}, {}, {}, (), 3),
    "nothing is classified": ({}, {}, {}, (), 3),
    "the class whose queue it stops": ({26: 5, 0: 0}, {3: 4}, {5: 4}, (), 5),
    "two classes share that queue": ({26: 5, 24: 6}, {3: 4}, {5: 4, 6: 4}, (), None),
    "the one class whose queue marks": ({26: 5, 0: 0}, {}, {5: 4}, (4,), 5),
    "two classes mark": ({26: 5, 24: 6}, {}, {}, (5, 6), None),
    "a class of another lossless priority marks": ({26: 4, 24: 6}, {}, {}, (4, 6), 6),
}


@pytest.mark.parametrize(
    ("dscp", "stops", "queues", "marked", "expected"), CASES.values(), ids=CASES
)
def test_class_of(
    dscp: dict[int, int],
    stops: dict[int, int],
    queues: dict[int, int],
    marked: tuple[int, ...],
    expected: int | None,
) -> None:
    port = PortPolicy(
        pfc={3: 1, 4: 1},
        dscp_to_class=dscp,
        pause_to_queue=stops,
        class_to_queue=queues,
        markings={queue: Marking(line=1) for queue in marked},
    )
    assert class_of(port, 3) == expected
