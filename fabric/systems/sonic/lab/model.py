"""What CONFIG_DB of SONiC may hold: the rows of the book, by table.

Known: the YANG models of sonic-net/sonic-buildimage (src/sonic-yang-models/yang-models, branch
202405), reduced to the tables that a RoCE leaf and spine use. A table or field that is missing
in the book is refused, as the field of an unknown name is by the real models; so this is stricter
than a switch for tables that have a model but no place there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.book.book import books
from fabric.book.tables import rows

if TYPE_CHECKING:
    from fabric.book.tables import RowRule

TABLES: dict[str, list[RowRule]] = {}
for _row in rows(books()["sonic"]):
    TABLES.setdefault(_row.table, []).append(_row)
