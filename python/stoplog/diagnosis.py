# SPDX-License-Identifier: Apache-2.0
"""Checks whether Java, Spark, Python, the jars and the machine work together."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from stoplog._doctor.bundle import write_bundle
from stoplog._doctor.environment import Absent, Environment
from stoplog._doctor.finding import Finding, Level
from stoplog._doctor.gather import environment
from stoplog._doctor.rules import examine
from stoplog._doctor.store import Safety, StoreVerdict, TriedPromise, qualify
from stoplog._text import redaction
from stoplog._text.words import counted
from stoplog.errors import StoplogError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = [
    "Diagnosis",
    "Finding",
    "Level",
    "Safety",
    "StoreVerdict",
    "TriedPromise",
    "doctor",
    "qualify",
]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The result of `stoplog.doctor`.

    Printed as a text page, and displayed as a table in notebooks.

    Attributes:
        findings: the facts that should be different, in the order in which to repair them.
        versions: the found versions and places, by name.
    """

    findings: tuple[Finding, ...]
    versions: Mapping[str, str]
    _facts: Environment = field(repr=False, compare=False)

    @property
    def works(self) -> bool:
        """Returns true if there are no problems. There may be warnings."""
        return not self.problems

    @property
    def problems(self) -> tuple[Finding, ...]:
        """Returns the findings with which jobs do not work."""
        return tuple(each for each in self.findings if each.level is Level.PROBLEM)

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """Returns the findings with which jobs start."""
        return tuple(each for each in self.findings if each.level is Level.WARNING)

    def bundle(self, file: str | os.PathLike[str]) -> None:
        """Writes a zip archive for support, without secrets.

        The archive contains the findings, the settings of Spark, some environment variables, and the
        versions of Python packages and jars. A setting that may contain a secret appears by name only.

        Args:
            file: the path of the archive; an existing file is replaced.

        Raises:
            StoplogError: the file cannot be written, with the condition `STOPLOG_CANNOT_WRITE`.

        Example:
            stoplog.doctor(spark).bundle("stoplog-support.zip")
        """
        findings = [{**asdict(each), "level": each.level.value} for each in self.findings]
        whole = json.dumps(
            {"findings": findings, "versions": dict(self.versions)}, ensure_ascii=False, indent=2
        )
        try:
            write_bundle(Path(file), self._facts, {"doctor.txt": f"{self}\n", "doctor.json": f"{whole}\n"})
        except OSError as error:
            raise StoplogError(
                "STOPLOG_CANNOT_WRITE",
                f"{os.fspath(file)} cannot be written: {error.strerror}. Name a file in a directory that you "
                "may write to.",
            ) from None

    def __str__(self) -> str:
        return "\n".join([self._headline(), *map(_text_of, self.findings), *self._found()])

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{each.level.value}</td><td>{escape(each.name)}</td><td style='text-align:left'>"
            f"{escape(each.what)}<br>{escape(each.why)}<br><code>{escape(each.repair)}</code></td></tr>"
            for each in self.findings
        )
        return f"<table><caption>{escape(self._headline())}</caption><tbody>{rows}</tbody></table>"

    def _headline(self) -> str:
        counts = [
            counted(len(found), word)
            for found, word in ((self.problems, "problem"), (self.warnings, "warning"))
            if found
        ]
        verdict = "works here" if self.works else "does not work here"
        return f"stoplog {', with '.join([verdict, ' and '.join(counts)]) if counts else verdict}."

    def _found(self) -> list[str]:
        width = max(map(len, self.versions))
        return ["Found:", *(f"  {name:<{width}}  {text}" for name, text in self.versions.items())]


def doctor(
    spark: SparkSession | None = None,
    *paths: str | os.PathLike[str],
    settings: Mapping[str, str] | None = None,
) -> Diagnosis:
    """Checks Java, Spark, Scala, Hadoop, jars, Pythons, locale, limits, time, disks and settings.

    Without a session, the function reads files, environment variables and `spark-defaults.conf`, and starts
    `java -version`. With a session, classic or Connect, the versions and settings are those of the session.
    On Connect, the disks and limits of the server are not checked.

    Args:
        spark: a session.
        paths: the paths that jobs will use. Object stores need further jars, local paths space.
        settings: settings of the job without a session, which override `spark-defaults.conf`.

    Returns:
        The findings, each with the line that repairs it.

    Example:
        found = stoplog.doctor(spark, "s3a://bucket/events")
        print(found)
        assert found.works
    """
    places = tuple(os.fspath(path) for path in paths)
    if spark is None:
        return diagnosis_of(environment(settings or {}, places))
    from stoplog._doctor.session import environment_of

    return diagnosis_of(environment_of(spark, places))


def diagnosis_of(facts: Environment) -> Diagnosis:
    """Returns the findings about facts, without the secrets that a fact may contain."""
    findings = tuple(
        replace(
            each,
            what=redaction.text(each.what),
            why=redaction.text(each.why),
            repair=redaction.text(each.repair),
        )
        for each in examine(facts)
    )
    return Diagnosis(findings, _versions(facts), facts)


def _versions(facts: Environment) -> dict[str, str]:
    own, java, spark = facts.own, facts.java, facts.spark
    found = {"stoplog": own.version if isinstance(own.jar, Absent) else f"{own.version} ({own.jar})"}
    found["Java"] = "none" if isinstance(java, Absent) else f"{java.version} ({java.command})"
    if isinstance(spark, Absent):
        found["Spark"] = "none"
    else:
        found["Spark"] = f"{spark.version} ({spark.home})"
        found["Scala"], found["Hadoop"] = spark.scala, spark.hadoop or "unknown"
    found["Python"] = ", ".join(f"{each.version or 'none'} ({each.command})" for each in facts.pythons)
    found["locale"] = f"{facts.machine.locale.name}, {facts.machine.locale.characters}"
    jars = [jar.name for jar in facts.jars.named]
    return {**found, "jars": ", ".join(jars)} if jars else found


def _text_of(finding: Finding) -> str:
    what = f"  {finding.level.value:<8} {finding.name}: {finding.what}"
    return f"\n{' ' * 11}".join([what, finding.why, finding.repair])
