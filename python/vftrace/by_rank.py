"""Calls and times of call paths by rank, as far as the file has them."""
from __future__ import annotations

from typing import List, Optional, Set

from .checked import column, numbers_of
from .call_tree import CALLS_UNKNOWN, Core
from .schema import TABLES

FIGURES = ("calls", "exclusive_ns")
_MOST_VALUES = 1 << 25  # of paths times ranks; hostile files could ask for any number

Values = List[Optional[float]]


def number_of_ranks(core: Core) -> int:
    ranks = core.run.get("ranks")
    if type(ranks) is not int or not 1 <= ranks < 1 << 32:
        core.document.fail("run: ranks is not a number of ranks")
    return ranks


def known_ranks(core: Core) -> Set[int]:
    """The ranks that are in the profile: all without MPI, and if each has an element in `ranks`."""
    rows = core.document.objects("ranks")
    ranks = number_of_ranks(core)
    if not rows:
        return set(range(ranks)) if ranks == 1 else set()
    found = set(column(core.document, "ranks", rows, TABLES["ranks"][0]))
    if not found <= set(range(ranks)):
        core.document.fail("ranks: rank is not below the number of ranks in an element")
    return found


def rank_values(core: Core, figure: str) -> List[Optional[Values]]:
    """The figure by rank for each element of `rank_values`: None if the element does not have it, and for ranks that are not
    in the profile, where the file has 0."""
    document, rows = core.document, core.document.objects("rank_values")
    described = {entry.name: entry for entry in TABLES["rank_values"]}
    ranks, known = number_of_ranks(core), known_ranks(core)
    result: List[Optional[Values]] = []
    for values in column(document, "rank_values", rows, described[figure]):
        if values is None:
            result.append(None)
            continue
        values = numbers_of(document, f"rank_values.{figure}", values)
        if len(values) != ranks:
            document.fail(f"rank_values: {figure} does not have a number for each rank in an element")
        result.append([value if value or rank in known else None for rank, value in enumerate(values)])
    return result


def by_rank(core: Core, figure: str) -> List[Values]:
    """A row for each call path, a column for each rank; None if it is not known."""
    ranks = number_of_ranks(core)
    if core.count * ranks > _MOST_VALUES:
        core.document.fail(f"{core.count:,} paths of {ranks:,} ranks are too many for one array: use the table rank_values.ranks")
    table: List[Values] = [[None] * ranks for _ in range(core.count)]
    known = known_ranks(core)
    if len(known) == 1:  # sums over ranks are those of this one
        rank, = known
        for node, values in enumerate(table):
            is_known = figure != "calls" or not core.states[node] & CALLS_UNKNOWN
            values[rank] = getattr(core, figure)[node] if is_known else None
        return table
    rows = core.document.objects("rank_values")
    described = TABLES["rank_values"][0]
    for node, values_of_node in zip(column(core.document, "rank_values", rows, described), rank_values(core, figure)):
        if not 0 <= node < core.count:
            core.document.fail("rank_values: node is not the position of an element")
        if values_of_node is not None:
            table[node] = values_of_node
    return table
