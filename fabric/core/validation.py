"""What pydantic says of a wrong value, in the words of the check that rejected it."""

from __future__ import annotations

#: pydantic 2 puts it before the text of a ``ValueError`` that a validator raises.
_PREFIX = "Value error, "


def own_words(message: str) -> str:
    """Return the message of a check without what pydantic puts before it.

    Examples
    --------
    >>> own_words("Value error, 8 is not a priority")
    '8 is not a priority'
    """
    return message.removeprefix(_PREFIX)
