"""What is computed once for many: equal rows of a table, and switches that could be swapped.

Fabrics are symmetric. Leaves of a pod have the same cables to the same spines, and so have the
super-spines of a group. Swapping two such twins changes nothing, so an answer for one holds for
the other. A cable that is off, or an AS number that two others share, only makes fewer twins. This
is the idea of Beckett et al., Control Plane Compression, SIGCOMM 2018, for twins alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from fabric.topology.model import Ints
    from fabric.topology.routes import Network

    Table = NDArray[Any]

#: Rows or columns below which all are computed: our choice, then it takes less than a millisecond.
_FEW = 64
#: Seed of the weights that rows are summed with: any; equal sums are compared value by value.
_SEED = 1


def distinct_rows(table: Table) -> tuple[Ints, Ints]:
    """Return the first row of each kind, and the kind of each row.

    Parameters
    ----------
    table : array, shape (rows, columns)
        Numbers or truth values.

    Returns
    -------
    first : array of int, shape (kinds,)
        Rows that differ from each other.
    kind : array of int, shape (rows,)
        ``table[first][kind]`` is the table.
    """
    rows = np.ascontiguousarray(table)
    words = _words(rows)
    weights = np.random.default_rng(_SEED).integers(2**64, size=words.shape[1], dtype=np.uint64)
    _, first, kind = np.unique(words @ weights, return_index=True, return_inverse=True)
    if (rows != rows[first][kind]).any():  # two kinds have one sum
        every = np.arange(len(rows))
        return every, every
    return first, kind


def _words(rows: Table) -> Table:
    """Return the same values as few numbers of 64 bits, shape (rows, n)."""
    if rows.dtype != np.bool_:
        return rows.view(f"u{rows.itemsize}").astype(np.uint64, copy=False)
    octets = np.packbits(rows, axis=1)
    wide = np.zeros((len(rows), -(-octets.shape[1] // 8) * 8), dtype=np.uint8)
    wide[:, : octets.shape[1]] = octets
    return wide.view(np.uint64)


def two_of_each(kind: Ints) -> tuple[Ints, Ints]:
    """Return rows that stand for all pairs of rows, where rows of one kind are alike.

    Parameters
    ----------
    kind : array of int, shape (n,)
        Kind of each row, from 0 without gaps.

    Returns
    -------
    rows : array of int, shape (m,)
        The first two rows of each kind, ascending.
    first : array of int, shape (n,)
        For each of the n rows, the place in ``rows`` of the first row of its kind.
    """
    order = np.argsort(kind, kind="stable")
    size = np.bincount(kind)
    start = np.cumsum(size) - size
    number = np.empty(len(kind), dtype=np.int64)
    number[order] = np.arange(len(kind)) - start[kind[order]]
    rows = np.flatnonzero(number < 2)  # noqa: PLR2004 - a pair
    leads = np.flatnonzero(number[rows] == 0)
    place = np.empty(len(size), dtype=np.int64)
    place[kind[rows[leads]]] = leads
    return rows, place[kind]


def once_per_kind(work: Callable[[Table, Table], Table], left: Table, right: Table) -> Table:
    """Return the work of the rows of one table with the columns of another.

    Parameters
    ----------
    work : callable
        Returns a value for each row of ``left`` and each column of ``right``, from these alone.
    left, right : array, shapes (n, k) and (k, m)
        Tables.
    """
    if min(left.shape[0], right.shape[1]) < _FEW or object in {left.dtype.type, right.dtype.type}:
        return work(left, right)
    rows, row_kind = distinct_rows(left)
    columns, column_kind = distinct_rows(right.T)
    return work(left[rows], right[:, columns])[row_kind[:, None], column_kind]


def twins(net: Network, labels: Ints | None = None) -> tuple[Ints, Ints]:
    """Return the first switch of each kind of twins, and the kind of each switch.

    Twins have links over as many cables to the same switches, send and allow the same, announce as
    much, and either have one AS number or each one that no other switch has.

    Parameters
    ----------
    net : Network
        Links and AS numbers.
    labels : array of int, shape (links,), optional
        What else links of twins to the same switch have in common; a link and its reverse differ
        from others together.

    Returns
    -------
    first : array of int, shape (kinds,)
        One switch of each kind.
    kind : array of int, shape (switches,)
        Kind of each switch.
    """
    links = net.links
    _, number, count = np.unique(net.asn, return_inverse=True, return_counts=True)
    announced = np.bincount(net.origin, minlength=links.switches)
    own = np.stack(
        [np.where(count[number] > 1, number + 1, 0), net.sends, net.allowed, announced], axis=1
    )
    degree = np.bincount(links.source, minlength=links.switches)
    first = np.cumsum(degree) - degree
    place = np.arange(len(links)) - first[links.source]
    columns = [links.target, links.cables] + ([] if labels is None else [labels])
    table = np.full((links.switches, int(degree.max(initial=0)), len(columns)), -1)
    table[links.source, place] = np.stack(columns, axis=1)
    return distinct_rows(np.hstack([own, table.reshape(links.switches, -1)]))
