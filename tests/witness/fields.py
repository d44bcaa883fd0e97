"""What the models of the inventory can say, and what a document says of it."""

from __future__ import annotations

from collections.abc import Iterator
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

Model = type[BaseModel]


def choices(model: Model, name: str) -> tuple[Any, ...]:
    """Return the values of a field that are listed one by one; none where it has no list."""
    return tuple(_choices(model.model_fields[name].annotation))


def _choices(annotation: Any) -> Iterator[Any]:
    if get_origin(annotation) is Literal:
        yield from get_args(annotation)
    elif annotation is bool:
        yield from (True, False)
    elif get_origin(annotation) in {Union, UnionType, Annotated}:
        for inner in get_args(annotation):
            yield from _choices(inner)


def _models(annotation: Any) -> Iterator[Model]:
    """Yield the models that the value of a field is made of."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models(inner)


def sayable(*roots: Model) -> set[str]:
    """Return all that can be said: ``Model.field``, and each value of a list or a switch."""
    said: set[str] = set()
    seen: set[Model] = set()
    waiting = list(roots)
    while waiting:
        model = waiting.pop()
        if model in seen:
            continue
        seen.add(model)
        for name, field in model.model_fields.items():
            values = choices(model, name)
            said |= {_value(model, name, value) for value in values} or {_field(model, name)}
            waiting += _models(field.annotation)
    return said


def said(document: BaseModel) -> set[str]:
    """Return what a document says, in the words of ``sayable``."""
    found: set[str] = set()
    model = type(document)
    for name in document.model_fields_set:
        value = getattr(document, name)
        if value is None:
            continue
        is_listed = bool(choices(model, name))
        found.add(_value(model, name, value) if is_listed else _field(model, name))
        for part in _parts(value):
            found |= said(part)
    return found


def _parts(value: Any) -> Iterator[BaseModel]:
    if isinstance(value, BaseModel):
        yield value
    elif isinstance(value, (tuple, dict)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _parts(inner)


def _field(model: Model, name: str) -> str:
    return f"{model.__name__}.{name}"


def _value(model: Model, name: str, value: Any) -> str:
    return f"{model.__name__}.{name}: {str(value).lower() if isinstance(value, bool) else value}"
