"""`stoplog compact PATH`: small files of a directory, merged."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from stoplog.cli.command import Answer, Command
from stoplog.cli.session import local_session
from stoplog.cli.table import limited, size, table
from stoplog.cli.tools import key_and_value

if TYPE_CHECKING:
    from stoplog.compaction import PlannedMerge


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("path", metavar="PATH", help="the directory, with all below it")
    doing = parser.add_mutually_exclusive_group()
    doing.add_argument(
        "--dry-run", action="store_true", default=True, help="only say what would be done: the default"
    )
    doing.add_argument("--yes", dest="dry_run", action="store_false", help="do it")
    parser.add_argument(
        "--option",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        type=key_and_value,
        help="format, compactTo, compactSmallerThan, compactMinFiles or compactor; may be repeated",
    )
    parser.add_argument(
        "--conf",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        type=key_and_value,
        help="a setting of Spark, such as spark.jars.packages=…; may be repeated",
    )
    parser.add_argument(
        "--limit", metavar="N", type=int, default=50, help="rows of the table, 0 for all (default: 50)"
    )


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
