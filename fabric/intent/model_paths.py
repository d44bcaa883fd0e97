"""From the place that pydantic names to the place in the document, and the model that rules it.

pydantic's ``loc`` holds more than keys: names of union members, tags, and ``[key]``. Only a walk
along the model's annotations tells these from keys of the document.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, Literal, NewType, Union, get_args

from pydantic import BaseModel, RootModel, Tag

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic.fields import FieldInfo

    from fabric.core.shown import Path

Shape = Any  # an annotation: a class, a union, Annotated, ...
_NOTHING = object()


@dataclass(slots=True)
class Spot:
    """A place in the document that an error is about.

    Parameters
    ----------
    path : tuple of str or int
        Keys and indexes from the top of the document.
    on_key : bool
        The key itself is wrong, not its value.
    owner : type of BaseModel or None
        The model that the last part of the path is, or should be, a field of.
    unions : list of (path, member)
        The untagged unions passed on the way, outermost first.
    """

    path: Path = ()
    on_key: bool = False
    owner: type[BaseModel] | None = None
    unions: list[tuple[Path, str]] = field(default_factory=list)


def locate(loc: tuple[str | int, ...], model: type[BaseModel], data: object) -> Spot:
    """Return the spot that a pydantic location means."""
    spot = Spot()
    shape: Shape = model
    for item in loc:
        shape = _inner(shape)
        if item == "[key]":
            spot.on_key = True
        elif _is_union(shape):
            if not _is_tagged(shape):
                spot.unions.append((spot.path, str(item)))
            shape = _member(shape, item)
        elif shape is Any and value_at(data, (*spot.path, item), _NOTHING) is _NOTHING:
            continue  # a union member or a wrapper that the annotations do not tell
        else:
            spot.owner = shape if _is_model(shape) else None
            shape = _below(shape, item)
            spot.path = (*spot.path, item)
    return spot


def value_at(data: object, path: Path, default: object = None) -> object:
    """Return what the document holds at the path, or the default."""
    for part in path:
        if _holds(data, part):
            data = data[part]  # type: ignore[index]  # a container that holds the part
        else:
            return default
    return data


def _holds(data: object, part: str | int) -> bool:
    if isinstance(data, list):
        return isinstance(part, int) and 0 <= part < len(data)
    return isinstance(data, dict) and part in data


def field_names(model: type[BaseModel]) -> list[str]:
    """Return the keys that a model takes from the document."""
    return [_key(name, info) for name, info in model.model_fields.items()]


def fields_below(spot: Spot) -> list[str]:
    """Return the keys that the value of a spot takes, where it is a mapping of known keys."""
    if spot.owner is None or not spot.path:
        return []
    shape = _inner(_below(spot.owner, spot.path[-1]))
    models = [shape, *map(_inner, _members(shape))] if _is_union(shape) else [shape]
    return next((field_names(model) for model in models if _is_model(model)), [])


def paths_below(
    model: type[BaseModel], depth: int = 3, *, through_lists: bool = False
) -> Iterator[Path]:
    """Yield the paths of the fields of a model and of the mappings in it.

    Parameters
    ----------
    depth : int
        Fields of a path at most, >= 1.
    through_lists : bool
        Whether paths lead into lists too: ``nics[]``.
    """
    for name, info in model.model_fields.items():
        key, shape = _key(name, info), _inner(_shape(info))
        yield (key,)
        if through_lists and _origin(shape) in (tuple, list):
            key, shape = f"{key}[]", _inner(get_args(shape)[0])
        models = [shape, *map(_inner, _members(shape))] if _is_union(shape) else [shape]
        for inner in filter(_is_model, models if depth > 1 else ()):
            below = paths_below(inner, depth - 1, through_lists=through_lists)
            yield from ((key, *path) for path in below)


def _key(name: str, info: FieldInfo) -> str:
    alias = info.validation_alias
    return alias if isinstance(alias, str) else info.alias or name


def _origin(shape: Shape) -> Shape:
    origin: Any = typing.get_origin(shape)
    return origin


def _inner(shape: Shape) -> Shape:
    """Return the annotation without wrappers that leave no trace in a location."""
    while True:
        if _origin(shape) is Annotated and not _is_tagged(shape):
            shape = get_args(shape)[0]
        elif hasattr(shape, "__value__"):
            shape = shape.__value__
        elif isinstance(shape, NewType):
            shape = shape.__supertype__
        elif _is_model(shape) and issubclass(shape, RootModel):
            shape = _shape(shape.model_fields["root"])
        elif _is_plain_union(shape) and len(_members(shape)) == 1:
            shape = _members(shape)[0]
        else:
            return shape


def _below(shape: Shape, item: str | int) -> Shape:
    """Return the annotation of a field, item or value of the given annotation."""
    if _is_model(shape):
        for name, info in shape.model_fields.items():
            if item in (_key(name, info), name):
                return _shape(info)
        return Any
    origin, arguments = _origin(shape), get_args(shape)
    if not isinstance(origin, type) or not arguments:
        return Any
    if issubclass(origin, Mapping):
        return arguments[1]
    if origin is tuple and isinstance(item, int) and arguments[-1] is not Ellipsis:
        return arguments[item] if item < len(arguments) else Any
    return arguments[0]


def _shape(info: FieldInfo) -> Shape:
    notes = [note for note in (info, *info.metadata) if _names_tag(note)]
    return Annotated[info.annotation, notes[0]] if notes else info.annotation


def _names_tag(note: object) -> bool:
    """Say whether a note of Annotated (Field or Discriminator) tells how members are told apart."""
    return getattr(note, "discriminator", None) is not None


def _is_model(shape: Shape) -> bool:
    return isinstance(shape, type) and issubclass(shape, BaseModel)


def _is_plain_union(shape: Shape) -> bool:
    return _origin(shape) in (Union, types.UnionType)


def _is_union(shape: Shape) -> bool:
    return _is_plain_union(shape) or _is_tagged(shape)


def _is_tagged(shape: Shape) -> bool:
    return _origin(shape) is Annotated and any(map(_names_tag, get_args(shape)[1:]))


def _members(shape: Shape) -> list[Shape]:
    if _origin(shape) is Annotated:
        shape = get_args(shape)[0]
    return [member for member in get_args(shape) if member is not types.NoneType]


def _member(shape: Shape, label: str | int) -> Shape:
    """Return the member of a union that pydantic names by its tag or its label."""
    matches = _has_tag if _is_tagged(shape) else _has_label
    return next((one for one in _members(shape) if matches(one, str(label))), Any)


def _has_label(member: Shape, label: str) -> bool:
    bare = get_args(member)[0] if _origin(member) is Annotated else member
    if _is_model(bare):
        return bare.__name__ in label
    origin = _origin(bare)
    return isinstance(origin, type) and f"{origin.__name__}[" in label


def _has_tag(member: Shape, tag: str) -> bool:
    if _origin(member) is Annotated:
        tags = [note.tag for note in get_args(member)[1:] if isinstance(note, Tag)]
        if tags:
            return tag in tags
    model = _inner(member)
    if not _is_model(model):
        return False
    words = {
        str(word.value if isinstance(word, Enum) else word)
        for info in model.model_fields.values()
        if _origin(info.annotation) is Literal
        for word in get_args(info.annotation)
    }
    return tag in words
