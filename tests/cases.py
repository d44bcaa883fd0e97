"""Loops in place of parameters where nobody looks a case up, and examples of a property."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from typing import Any

import pytest
from _pytest.mark.structures import ParameterSet
from hypothesis import settings

#: Examples of a property in the quick tier; CI takes what the test says, at least 100 by default.
QUICK_EXAMPLES = 15
CI_EXAMPLES = 100
_OUTCOMES = (Exception, pytest.fail.Exception, pytest.skip.Exception)


def examples(most: int, **other: Any) -> settings:
    """Return settings of a property: ``most`` examples in CI, fewer in the quick tier.

    ``--hypothesis-profile thousands`` takes 2,000 of each.
    """
    default = settings.default.max_examples
    count = min(most, default) if default < CI_EXAMPLES else most
    return settings(max_examples=max(count, default) if default > CI_EXAMPLES else count, **other)


def each(names: str | Sequence[str], cases: Iterable[Any]) -> Callable[[Any], Any]:
    """Turn parameters of a test into a loop: one test, and every case that fails is reported.

    It reads like ``pytest.mark.parametrize``, several of it included, and stands above all other
    decorators. Fixtures are those of the whole loop: a case must leave them as it got them.
    """
    words = tuple(names.replace(" ", "").split(",")) if isinstance(names, str) else tuple(names)

    def loop(test: Any) -> Any:
        inner = getattr(test, "each_of", ())
        body = test.each_body if inner else test
        return _looped(body, ((words, tuple(cases)), *inner))

    return loop


def _values(words: tuple[str, ...], case: Any) -> dict[str, Any]:
    if isinstance(case, ParameterSet):  # pytest.param: its marks would be lost
        assert not case.marks, "a case with a mark of its own stays a parameter"
        case = case.values if len(words) > 1 else case.values[0]
    if len(words) == 1:
        return {words[0]: case}
    return dict(zip(words, case, strict=True))


def _rows(of: tuple[tuple[tuple[str, ...], tuple[Any, ...]], ...]) -> Iterator[dict[str, Any]]:
    for chosen in product(*(cases for _, cases in of)):
        row: dict[str, Any] = {}
        for (words, _), case in zip(of, chosen, strict=True):
            row |= _values(words, case)
        yield row


def _looped(body: Any, of: tuple[tuple[tuple[str, ...], tuple[Any, ...]], ...]) -> Any:
    taken = {word for words, _ in of for word in words}
    assert all(cases for _, cases in of), "a loop without a case"

    def run(subtests: pytest.Subtests, **fixtures: Any) -> None:
        for row in _rows(of):
            try:
                body(**row, **fixtures)
            except _OUTCOMES:  # a case that passes reports nothing: 3,000 of them take no time
                with subtests.test(" ".join(f"{key}={_short(row[key])}" for key in row)):
                    raise

    parameters = inspect.signature(body).parameters.values()
    fixtures = [each for each in parameters if each.name not in taken]
    assert len(parameters) - len(fixtures) == len(taken), "a parameter that the test does not take"
    asked = [inspect.Parameter("subtests", inspect.Parameter.KEYWORD_ONLY)]
    asked += [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in fixtures]
    run.__signature__ = inspect.Signature(asked)  # type: ignore[attr-defined]
    run.__name__, run.__doc__, run.__module__ = body.__name__, body.__doc__, body.__module__
    run.__qualname__ = body.__qualname__
    run.pytestmark = list(getattr(body, "pytestmark", ()))  # type: ignore[attr-defined]
    run.each_of, run.each_body = of, body  # type: ignore[attr-defined]
    return run


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
