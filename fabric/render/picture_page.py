"""A picture as one page for a browser: nothing is loaded from elsewhere.

What is in the page comes from an inventory, and is data: text is escaped, and the JSON holds no
character that could end its element.
"""

from __future__ import annotations

import json
import re
from html import escape
from typing import TYPE_CHECKING, Any

from fabric.render.engine import template_folder
from fabric.render.picture_svg import svg

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.topology.drawing import Picture

#: Characters that HTML may take for markup inside a script element (HTML, section 13.2.5.4).
_MARKUP = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&"}
_SLOT = re.compile(r"\{\{(\w+)\}\}")


def page(picture: Picture, data: Mapping[str, Any]) -> str:
    """Return the page.

    Parameters
    ----------
    picture : Picture
        What is drawn.
    data : mapping
        ``devices`` (name -> ``facts``, ``ports``, number of its ``policy``), ``policies``, and
        ``portless`` (why no device has ports, or empty); the boxes are added.
    """
    box_of = {name: number for number, box in enumerate(picture.boxes) for name in box.members}
    devices = {name: {**values, "box": box_of[name]} for name, values in data["devices"].items()}
    boxes = [
        {"label": box.label, "detail": box.detail, "members": box.members} for box in picture.boxes
    ]
    folder = template_folder() / "picture"
    parts = {
        "title": escape(picture.title),
        "style": (folder / "page.css").read_text(encoding="utf-8"),
        "script": (folder / "page.js").read_text(encoding="utf-8"),
        "picture": svg(picture),
        "data": _json({**data, "devices": devices, "boxes": boxes}),
    }
    # one pass, so that nothing inside a part is taken for a slot
    text = (folder / "page.html").read_text(encoding="utf-8")
    return _SLOT.sub(lambda slot: parts[slot[1]], text)


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":")).translate(_MARKUP)
