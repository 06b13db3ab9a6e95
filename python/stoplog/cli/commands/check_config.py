# SPDX-License-Identifier: Apache-2.0
"""`stoplog check-config PATH`: whether a query with these options and columns could start."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from stoplog.cli.arguments import add_pairs
from stoplog.cli.command import Answer, Command
from stoplog.cli.exit_code import ExitCode
from stoplog.cli.session import local_session

if TYPE_CHECKING:
    from stoplog.preflight import Preflight


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "path", metavar="PATH", help="where the sink will write; it is tried in a hidden directory"
    )
    parser.add_argument(
        "--schema",
        metavar="COLUMNS",
        required=True,
        help="of the rows, such as 'at TIMESTAMP, message STRING'",
    )
    add_pairs(parser, "--option", "of the sink, as the query will set it")
    add_pairs(parser, "--conf", "a setting of Spark, such as spark.jars.packages=…")


def run(given: Namespace) -> Answer:
    from stoplog.preflight import check_options

    spark = local_session("check-config", dict(given.conf))
    try:
        rows = spark.createDataFrame([], given.schema)
        found = check_options(rows, {**dict(given.option), "path": given.path})
    finally:
        spark.stop()
    return Answer(
        {"preflight": _data(found)},
        lambda: str(found).splitlines(),
        ExitCode.OK if found.is_ready else ExitCode.FINDINGS,
    )


def _data(found: Preflight) -> dict[str, object]:
    findings = [
        {"level": each.level, "name": each.name, "what": each.what, "now": each.now}
        for each in found.findings
    ]
    return {"path": found.path, "is_ready": found.is_ready, "findings": findings, "names": found.names}


COMMAND = Command(
    "check-config", "Try out options, columns and storage before a query starts.", arguments, run
)
