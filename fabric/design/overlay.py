"""Several overrides of one port or NIC, field by field."""

from __future__ import annotations

from typing import TypeVar

from fabric.intent.policy import Model

ModelT = TypeVar("ModelT", bound=Model)


def overlay(base: ModelT | None, change: ModelT) -> ModelT:
    """Return ``base`` with the fields that ``change`` names.

    The lossless policy inside is not merged here: that is the work of ``PolicyResolver``.
    """
    if base is None:
        return change
    fields = {
        name: value
        for name in change.model_fields_set
        if (value := getattr(change, name)) is not None
    }
    return base.model_copy(update=fields)
