# SPDX-License-Identifier: Apache-2.0
"""`stoplog doctor`: checks whether this environment works."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from stoplog.cli.command import Answer, Command, ExitCode, add_pairs, non_empty
from stoplog.diagnosis import Diagnosis, doctor


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        type=non_empty,
        help="the paths that jobs will use, such as s3a://…",
    )
    add_pairs(parser, "--conf", "a setting of the job, such as spark.jars.packages=…")
    parser.add_argument(
        "--bundle", metavar="FILE.zip", type=non_empty, help="write an archive for support, without secrets"
    )


def run(given: Namespace) -> Answer:
    found = doctor(None, *given.paths, settings=dict(given.conf))
    if given.bundle:
        found.bundle(given.bundle)
    lines = [*str(found).splitlines(), *([f"Wrote {given.bundle}."] if given.bundle else [])]
    data = {"works": found.works, "findings": found.findings, "versions": found.versions}
    return Answer({"doctor": data}, lambda: lines, _code(found))


def _code(found: Diagnosis) -> ExitCode:
    if not found.works:
        return ExitCode.WILL_NOT_WORK
    return ExitCode.FINDINGS if found.findings else ExitCode.OK


COMMAND = Command("doctor", "Check whether Java, Spark, jars and this machine work together.", arguments, run)
