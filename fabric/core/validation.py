"""What pydantic says of a wrong value, in the words of our check, or in plain ones."""

from __future__ import annotations

import re

#: pydantic 2 puts it before the text of a ``ValueError`` that a validator raises.
_PREFIX = "Value error, "
#: Limits of pydantic 2, and what to do.
_LIMITS = {
    "greater than or equal to": "use {} or more",
    "greater than": "use more than {}",
    "less than or equal to": "use {} or less",
    "less than": "use less than {}",
}
#: What pydantic 2 says of a text that is no number.
_NUMBERS = {
    "Input should be a valid integer, unable to parse string as an integer": "use a whole number",
    "Input should be a valid number, unable to parse string as a number": "use a number",
}
_LIMIT = re.compile(rf"Input should be ({'|'.join(_LIMITS)}) (-?[0-9][0-9.e+-]*)")


def own_words(message: str) -> str:
    """Return the message of a check without what pydantic puts before it, and limits as advice.

    Examples
    --------
    >>> own_words("Value error, 8 is not a priority")
    '8 is not a priority'
    >>> own_words("Input should be greater than or equal to 1")
    'use 1 or more'
    """
    limit = _LIMIT.fullmatch(message)
    if limit:
        return _LIMITS[limit[1]].format(limit[2])
    return _NUMBERS.get(message, message.removeprefix(_PREFIX))
