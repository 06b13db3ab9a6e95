# SPDX-License-Identifier: Apache-2.0
"""`stoplog doctor`: checks whether this environment works."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from stoplog.admin import Jvm
from stoplog.cli.command import Answer, Command, ExitCode, add_pairs, non_empty
from stoplog.cli.progress import progress
from stoplog.diagnosis import Diagnosis, Safety, StoreVerdict, doctor, qualify
from stoplog.errors import StoplogError


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="*",
        type=non_empty,
        help="the paths that jobs will use, such as s3a://…",
    )
    parser.add_argument(
        "--store",
        metavar="URL",
        type=non_empty,
        help="instead of the environment, test whether the storage of this directory is safe: many writers "
        "race for each guarantee, for at most two minutes",
    )
    parser.add_argument(
        "--jars",
        metavar="JAR,…",
        default="",
        help="with --store: additional jars, such as hadoop-aws and the bundle of AWS for s3a",
    )
    add_pairs(parser, "--conf", "a setting of the job, such as spark.jars.packages=… or fs.s3a.endpoint=…")
    parser.add_argument(
        "--bundle", metavar="FILE.zip", type=non_empty, help="write an archive for support, without secrets"
    )


def run(given: Namespace) -> Answer:
    if given.store:
        return _of_store(given)
    if given.jars:
        problem = "--jars has no effect without --store: pass the jars with --conf spark.jars=…."
        raise StoplogError("STOPLOG_INVALID_OPTIONS", problem)
    found = doctor(None, *given.paths, settings=dict(given.conf))
    if given.bundle:
        found.bundle(given.bundle)
    lines = [*str(found).splitlines(), *([f"Wrote {given.bundle}."] if given.bundle else [])]
    data = {"works": found.works, "findings": found.findings, "versions": found.versions}
    return Answer({"doctor": data}, lambda: lines, _code(found))


def _of_store(given: Namespace) -> Answer:
    if given.paths or given.bundle:
        raise StoplogError(
            "STOPLOG_INVALID_OPTIONS", "--store tests a single storage: remove PATH and --bundle."
        )
    hadoop = {key.removeprefix("spark.hadoop."): value for key, value in given.conf}
    jvm = Jvm(tuple(jar for jar in given.jars.split(",") if jar), hadoop)
    with progress("doctor", "race") as shown:
        verdict = qualify(given.store, jvm, shown.to)
    return Answer({"store": verdict}, lambda: str(verdict).splitlines(), _code_of_store(verdict))


def _code_of_store(verdict: StoreVerdict) -> ExitCode:
    if verdict.verdict is Safety.UNSAFE:
        return ExitCode.WILL_NOT_WORK
    return ExitCode.FINDINGS if verdict.verdict is Safety.SAFE_WITH_SETTINGS else ExitCode.OK


def _code(found: Diagnosis) -> ExitCode:
    if not found.works:
        return ExitCode.WILL_NOT_WORK
    return ExitCode.FINDINGS if found.findings else ExitCode.OK


COMMAND = Command(
    "doctor",
    "Check whether Java, Spark, jars and this machine work together, or whether a storage is safe.",
    arguments,
    run,
)
