"""The content of values as bytes, to be hashed."""

from __future__ import annotations

import io
import pickle
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel


def content_of(value: object) -> bytes:
    """Return the content of a value: the same in every run, never read back."""
    buffer = io.BytesIO()
    _Content(buffer, protocol=5).dump(value)
    return buffer.getvalue()


class _Content(pickle.Pickler):
    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, MappingProxyType):
            return dict, (tuple(obj.items()),)
        if isinstance(obj, BaseModel):
            return type(obj), tuple(obj.__dict__.items())
        return NotImplemented
