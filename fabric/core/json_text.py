"""JSON with a line for each value."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from pydantic_core import PydanticSerializationError, to_json

#: ASCII that `json` writes as an escape and pydantic does not.
_DELETE = "\x7f"


def indented(data: Any) -> str:
    r"""Return JSON as ``json.dumps(data, indent=1)`` writes it, several times faster.

    Floats are left out of that: they may have another form, of the same value.

    Examples
    --------
    >>> indented({"mtu": 9100})
    '{\n "mtu": 9100\n}'
    """
    with suppress(PydanticSerializationError):  # half a character, which a device may have said
        text = to_json(data, indent=1).decode()
        if text.isascii() and _DELETE not in text:
            return text
    return json.dumps(data, indent=1)
