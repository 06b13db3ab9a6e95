# SPDX-License-Identifier: Apache-2.0
"""Rules about settings of Spark and Hadoop that change rows, or that a sink refuses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from stoplog._doctor.environment import Environment
from stoplog._doctor.finding import Finding, problem, warning
from stoplog._jvm.installation import executors_lack_packages

Level = Callable[[str, str, str, str], Finding]


@dataclass(frozen=True, slots=True)
class Unwanted:
    """A value of a setting that should be another value.

    Attributes:
        level: the consequence.
        values: the unwanted values, in lower case; empty for each value.
        better: the line for `spark-defaults.conf`.
        why: the consequence in words.
    """

    level: Level
    values: tuple[str, ...]
    better: str
    why: str


_UNWANTED = {
    "spark.sql.ansi.enabled": Unwanted(
        warning,
        ("false",),
        "spark.sql.ansi.enabled true",
        "A cast of a wrong text and an overflow give null or a wrong number instead of an error.",
    ),
    "spark.sql.storeAssignmentPolicy": Unwanted(
        warning,
        ("legacy",),
        "spark.sql.storeAssignmentPolicy ANSI",
        "INSERT converts values of any type without an error, such as a text to null.",
    ),
    "spark.sql.legacy.timeParserPolicy": Unwanted(
        warning,
        ("legacy",),
        "spark.sql.legacy.timeParserPolicy CORRECTED",
        "The old parser accepts days that do not exist, such as 2026-02-30, and returns another day.",
    ),
    "spark.sql.parquet.datetimeRebaseModeInWrite": Unwanted(
        warning,
        ("legacy",),
        "spark.sql.parquet.datetimeRebaseModeInWrite CORRECTED",
        "Dates before 1582 are written by the Julian calendar, and other readers find other days.",
    ),
    "spark.sql.files.ignoreCorruptFiles": Unwanted(
        warning,
        ("true",),
        "spark.sql.files.ignoreCorruptFiles false",
        "Readers skip the rest of a damaged file without an error, so that rows are missing.",
    ),
    "spark.sql.files.ignoreMissingFiles": Unwanted(
        warning,
        ("true",),
        "spark.sql.files.ignoreMissingFiles false",
        "Readers skip a file that disappears while they read, so that rows are missing.",
    ),
    "spark.sql.streaming.checkpointLocation": Unwanted(
        warning,
        (),
        "# remove spark.sql.streaming.checkpointLocation, and set checkpointLocation for each query",
        "A query without a name gets a new directory there at each start, and reads its input again.",
    ),
    "spark.hadoop.fs.s3a.multipart.purge": Unwanted(
        problem,
        ("true",),
        "spark.hadoop.fs.s3a.multipart.purge false",
        "S3A would delete unfinished uploads, which hold rows of open parts. A sink refuses to start.",
    ),
}


def settings(environment: Environment) -> Iterator[Finding]:
    """Settings must not change rows without an error."""
    found = environment.use.settings
    for key, unwanted in _UNWANTED.items():
        value = found.get(key)
        if value is not None and (not unwanted.values or value.lower() in unwanted.values):
            yield unwanted.level("setting", f"{key} is {value}.", unwanted.why, unwanted.better)


def arguments(environment: Environment) -> Iterator[Finding]:
    """Spark must be able to parse the settings that start a session."""
    found = environment.use.settings
    if not environment.use.has_arguments:
        yield problem(
            "setting",
            "PYSPARK_SUBMIT_ARGS has a quotation mark without its pair.",
            "PySpark splits the variable into words, and starts no session.",
            "unset PYSPARK_SUBMIT_ARGS",
        )
    for key in ("spark.driver.memory", "spark.executor.memory"):
        if key in found and not _MEMORY.fullmatch(found[key]):
            joined = "".join(found[key].split())
            size = joined if _MEMORY.fullmatch(joined) else "4g"
            why = "Spark starts no JVM with a size that is not a number and a unit, such as 4g."
            yield problem("setting", f"{key} is {found[key]}.", why, f"{key} {size}")
    for word in filter(None, map(str.strip, found.get("spark.jars.packages", "").split(","))):
        if len(re.split("[:/]", word)) != 3:
            yield problem(
                "setting",
                f"spark.jars.packages has {word}, which is not of the form group:artifact:version.",
                "Spark starts no session with such a coordinate.",
                f"Correct {word} in spark.jars.packages, or remove it.",
            )


_MEMORY = re.compile(r"\d+([kmgtp]b?|b)?", re.IGNORECASE)


def packages_on_clusters(environment: Environment) -> Iterator[Finding]:
    """Spark sends executors no packages if `spark.jars` is set as well."""
    found = environment.use.settings
    if executors_lack_packages(found):
        yield warning(
            "packages",
            f"spark.jars and spark.jars.packages are set, and spark.master is {found['spark.master']}.",
            "Spark then gives the executors of a cluster no packages.",
            "# move each jar of spark.jars to spark.jars.packages, by its Maven coordinate",
        )


def schemes(environment: Environment) -> Iterator[Finding]:
    """Paths with `s3://` need S3A, which has the scheme `s3a://`."""
    place = environment.use.scheme_of_each()
    for scheme in ("s3", "s3n"):
        found = environment.use.file_system_of(scheme)
        if scheme not in place or found == _S3A:
            continue
        repair = _with_s3a(place[scheme], environment.use.settings, scheme)
        if found:
            yield warning(
                "scheme",
                f"{place[scheme]} has the scheme {scheme}://, and its file system is {found}.",
                "A sink writes to S3 by S3A (s3a://). On another file system, the sink may not start.",
                repair,
            )
        else:
            yield problem(
                "scheme",
                f"{place[scheme]} has the scheme {scheme}://, and no setting names its file system.",
                "Hadoop has only S3A, with the scheme s3a://.",
                repair,
            )


_S3A = "org.apache.hadoop.fs.s3a.S3AFileSystem"


def _with_s3a(place: str, settings: Mapping[str, str], scheme: str) -> str:
    """Returns the setting or the path with the scheme of S3A."""
    if place in settings:
        return f"{place} {settings[place].replace(f'{scheme}://', 's3a://')}"
    return f"Write {place.replace(f'{scheme}://', 's3a://')} instead of {place}."
