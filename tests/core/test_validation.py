"""Words of pydantic do not reach messages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pytest
from pydantic import TypeAdapter, ValidationError
from pydantic.functional_validators import AfterValidator

import fabric
from fabric.core.validation import own_words


def _reject(value: int) -> int:
    raise ValueError(f"{value} is not a priority")


def test_the_message_of_a_check_is_its_own() -> None:
    adapter = TypeAdapter(Annotated[int, AfterValidator(_reject)])
    with pytest.raises(ValidationError) as raised:
        adapter.validate_python(8)
    message = raised.value.errors()[0]["msg"]
    assert message != own_words(message) == "8 is not a priority"


def test_one_module_knows_what_pydantic_puts_before_it() -> None:
    texts = {path: path.read_text() for path in Path(fabric.__file__).parent.rglob("*.py")}
    assert [path.name for path, text in texts.items() if "Value error, " in text] == [
        "validation.py"
    ]
