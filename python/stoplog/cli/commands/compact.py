# SPDX-License-Identifier: Apache-2.0
"""`stoplog compact PATH`: small files of a directory, merged."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from stoplog.cli.arguments import add_doing, add_limit, add_pairs
from stoplog.cli.command import Answer, Command
from stoplog.cli.session import local_session
from stoplog.cli.table import limited, size, table

if TYPE_CHECKING:
    from stoplog.compaction import PlannedMerge


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("path", metavar="PATH", help="the directory, with all below it")
    add_doing(parser)
    add_pairs(parser, "--option", "format, compactTo, compactSmallerThan, compactMinFiles or compactor")
    add_pairs(parser, "--conf", "a setting of Spark, such as spark.jars.packages=…")
    add_limit(parser)


def run(given: Namespace) -> Answer:
    from stoplog.compaction import compact

    spark = local_session("compact", dict(given.conf))
    try:
        compaction = compact(spark, given.path, **dict(given.option))
        merges = compaction.plan() if given.dry_run else compaction.run()
    finally:
        spark.stop()
    data = {"path": given.path, "carried_out": not given.dry_run, "merges": merges}
    return Answer({"compact": data}, lambda: _lines(merges, given))


def _lines(merges: list[PlannedMerge], given: Namespace) -> Iterator[str]:
    if not merges:
        yield "There is nothing to merge."
        return
    yield from limited(
        table(
            ("DIRECTORY", "FILES", "BYTES"),
            [
                (merge.directory or ".", str(len(merge.names)), size(merge.size_bytes))
                for merge in merges[: given.limit or None]
            ],
        ),
        len(merges),
        given.limit,
        "merges",
    )
    yield "Nothing was changed. Add --yes to do it." if given.dry_run else "Done."


COMMAND = Command("compact", "Merge the small files of a directory that no query writes to.", arguments, run)
