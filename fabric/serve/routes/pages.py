"""Long lists, page by page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from fastapi import Query

from fabric.serve.routes.described import as_json

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from starlette.responses import Response

T = TypeVar("T")
_MOST = 5000
_MAX_OFFSET = 2**31 - 1

Limit = Annotated[int, Query(ge=1, le=_MOST, description="Entries of a page.")]
Offset = Annotated[int, Query(ge=0, le=_MAX_OFFSET, description="Entries before the page.")]


def page(
    items: Sequence[T], limit: int, offset: int, plain: Callable[[T], dict[str, Any]]
) -> Response:
    """Return a page of a list; ``next`` is the offset of the next one, null at the end."""
    after = offset + limit
    content = {
        "total": len(items),
        "next": after if after < len(items) else None,
        "items": [plain(item) for item in items[offset:after]],
    }
    return as_json(json.dumps(content).encode())
