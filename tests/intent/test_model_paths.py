"""From the place that pydantic names to the model that rules it."""

from __future__ import annotations

from typing import Annotated

import pytest
from pydantic import BaseModel, Field, ValidationError

from fabric.intent.model_paths import locate


class Part(BaseModel):
    size: int


class Whole(BaseModel):
    value: int | Annotated[list[Part], Field(min_length=1)]


def test_a_member_of_a_union_with_notes() -> None:
    data = {"value": [{"size": "large"}]}
    with pytest.raises(ValidationError) as refused:
        Whole.model_validate(data)
    spots = [locate(error["loc"], Whole, data) for error in refused.value.errors()]
    assert [(spot.path, spot.owner) for spot in spots] == [
        (("value",), Whole),
        (("value", 0, "size"), Part),
    ]
