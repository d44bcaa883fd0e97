"""What threads ask for at once is done in few batches, and an error stays with who met it."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from fabric.change.together import Together
from tests.waiting import until

THREADS = 20


class Desk:
    """Takes batches; the first one waits until it is told to go on."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.began, self.may_end = threading.Event(), threading.Event()

    def work(self, batch: list[int]) -> list[int]:
        self.batches.append(list(batch))
        if len(self.batches) == 1:
            self.began.set()
            assert self.may_end.wait(60)
        if -1 in batch:
            raise ValueError("one is wrong")
        return [10 * item for item in batch]


def asked(desk: Desk, items: list[int], most: int = 0) -> list[object]:
    """Return what each thread gets, or its error; all of them wait while the first one works."""
    together = Together(desk.work, most)

    def ask(item: int) -> object:
        try:
            return together.do(item)
        except ValueError as error:
            return error

    with ThreadPoolExecutor(len(items)) as pool:
        first = pool.submit(ask, items[0])
        assert desk.began.wait(60)
        others = [pool.submit(ask, item) for item in items[1:]]
        until(lambda: len(together._waiting) == len(items) - 1, "all wait")
        desk.may_end.set()
        return [future.result() for future in (first, *others)]


def test_what_comes_while_one_works_is_one_batch() -> None:
    desk = Desk()
    assert asked(desk, list(range(THREADS))) == [10 * item for item in range(THREADS)]
    assert [len(batch) for batch in desk.batches] == [1, THREADS - 1]


def test_a_batch_has_no_more_than_it_may() -> None:
    desk = Desk()
    assert asked(desk, list(range(THREADS)), most=1) == [10 * item for item in range(THREADS)]
    assert [len(batch) for batch in desk.batches] == [1] * THREADS


@pytest.mark.parametrize("most", [0, 1])
def test_every_other_item_is_done_when_one_is_wrong_at_first(most: int) -> None:
    desk = Desk()
    first, *others = asked(desk, [-1, *range(THREADS)], most)
    assert str(first) == "one is wrong"
    assert others == [10 * item for item in range(THREADS)]


def test_each_thread_meets_the_error_of_a_disk_that_stays_full() -> None:
    desk = Desk()
    got = asked(desk, [-1] * THREADS)
    assert [str(one) for one in got] == ["one is wrong"] * THREADS
