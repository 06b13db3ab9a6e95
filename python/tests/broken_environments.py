# SPDX-License-Identifier: Apache-2.0
"""Ways to break the machine of a user, and unusual machines that work."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass

from user_home import CORE, Home

from stoplog._shared.version import version

KAFKA = f"stoplog-kafka_2.13-{version()}.jar"


@dataclass(frozen=True)
class Broken:
    """An environment in which something is wrong.

    Args:
        damage: breaks a home on which all is well.
        finding: the name of the finding.
        repair: a part of the line that repairs the environment.
        code: the exit code.
    """

    damage: Callable[[Home], object]
    finding: str
    repair: str
    code: int = 2


def _set(key: str, value: str) -> Callable[[Home], object]:
    return lambda home: home.variables.update({key: value})


def _defaults(**settings: str) -> Callable[[Home], object]:
    return lambda home: home.defaults(**settings)


def _jars(*names: str) -> Callable[[Home], object]:
    return lambda home: home.defaults(jars=",".join(home.jar(name) for name in names))


def _packages(*coordinates: str) -> Callable[[Home], object]:
    return _defaults(jars__packages=",".join(coordinates))


def _arguments(*words: str) -> Callable[[Home], object]:
    return lambda home: home.arguments.extend(words)


def _all(*damages: Callable[[Home], object]) -> Callable[[Home], object]:
    return lambda home: [damage(home) for damage in damages]


def _java_25(home: Home) -> None:
    home.java("25.0.1")
    home.spark("4.1.4", hadoop="3.4.2")
    home.pyspark("4.1.4")


def _spark_4_0(home: Home) -> None:
    home.spark("4.0.1", hadoop="3.4.1")
    home.pyspark("4.0.1")
    home.arguments.append("s3a://bucket/events")


def _spark_3(home: Home) -> None:
    home.spark("3.5.7", hadoop="3.3.4")
    home.pyspark("3.5.7")


def _spark_5(home: Home) -> None:
    home.spark("5.0.0")
    home.pyspark("5.0.0")


def _submitted(home: Home) -> None:
    home.variables["PYSPARK_SUBMIT_ARGS"] = f"--jars {home.jar(KAFKA)} pyspark-shell"


def _in_spark(home: Home) -> None:
    (home.root / "spark" / "jars" / KAFKA).touch()


def _other_python(home: Home) -> None:
    python = home.root / "python3"
    python.write_text("#!/bin/sh\necho 3.8\n", encoding="utf-8")
    python.chmod(0o755)
    home.variables["PYSPARK_PYTHON"] = str(python)


def _spark(found: str) -> Callable[[Home], object]:
    def install(home: Home) -> None:
        home.spark(found)
        home.pyspark(found)

    return install


def _old_driver(home: Home) -> None:
    _other_python(home)
    home.variables["PYSPARK_DRIVER_PYTHON"] = home.variables["PYSPARK_PYTHON"]
    home.variables["PYSPARK_PYTHON"] = sys.executable


def _old_pyarrow(home: Home) -> None:
    site = home.root / "site"
    packages = site / "pyspark" / "sql" / "pandas"
    packages.mkdir(parents=True)
    (packages / "utils.py").write_text('minimum_pyarrow_version = "18.0.0"\n', encoding="utf-8")
    (site / "pyarrow-9.0.0.dist-info").mkdir()
    (site / "pyarrow-9.0.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: pyarrow\nVersion: 9.0.0\n", encoding="utf-8"
    )


def _site(key: str, value: str) -> Callable[[Home], object]:
    """Writes `core-site.xml` to a directory of Hadoop's configuration."""

    def write(home: Home) -> None:
        conf = home.root / "hadoop"
        conf.mkdir()
        found = f"<property><name>{key}</name><value> {value} </value></property>"
        (conf / "core-site.xml").write_text(f"<configuration>{found}</configuration>", encoding="utf-8")
        home.variables["HADOOP_CONF_DIR"] = str(conf)

    return write


def _broken_site(home: Home) -> None:
    _site("fs.s3.impl", "x")(home)
    (home.root / "hadoop" / "core-site.xml").write_text("<configuration>", encoding="utf-8")


def _slow_clock(home: Home) -> None:
    later = (home.root / "more" / CORE).stat().st_mtime + 30 * 86_400
    os.utime(home.root / "more" / CORE, (later, later))


def _few_files(home: Home) -> None:
    home.files_limit = 256


def _silent_java(home: Home) -> None:
    program = home.root / "jdk" / "bin" / "java"
    program.write_text("#!/bin/sh\necho 'libjvm.so: cannot open' >&2\nexit 127\n", encoding="utf-8")


def _in_defaults(content: bytes) -> Callable[[Home], object]:
    def write(home: Home) -> None:
        home.defaults()
        (home.root / "conf" / "spark-defaults.conf").write_bytes(content)

    return write


def _own_jar(name: str) -> Callable[[Home], object]:
    return lambda home: home.variables.update(STOPLOG_JAR=home.jar(name))


def _path_of_a_file(home: Home) -> None:
    home.arguments.append(home.jar("file"))


BROKEN = {
    "STOPLOG_JAR of another release": Broken(
        _own_jar("stoplog_2.13-0.0.9.jar"), "stoplog-version", "unset STOPLOG_JAR"
    ),
    "STOPLOG_JAR of a connector": Broken(_own_jar(KAFKA), "stoplog-jar", "unset STOPLOG_JAR"),
    "STOPLOG_JAR for scala 2.12": Broken(
        _own_jar(f"stoplog_2.12-{version()}.jar"), "stoplog-jar", "unset STOPLOG_JAR"
    ),
    "defaults that are not UTF-8": Broken(
        _in_defaults(b"spark.app.name caf\xe9\nspark.sql.ansi.enabled false\n"),
        "setting",
        "spark.sql.ansi.enabled true",
        1,
    ),
    "memory with a space": Broken(_defaults(driver__memory="4 GB"), "setting", "spark.driver.memory 4GB"),
    "package without a group": Broken(
        _packages("hadoop-aws:3.5.0"), "setting", "Correct hadoop-aws:3.5.0 in spark.jars.packages"
    ),
    "submit arguments with an open quotation": Broken(
        _set("PYSPARK_SUBMIT_ARGS", "--conf 'spark.x=1 pyspark-shell"), "setting", "unset PYSPARK_SUBMIT_ARGS"
    ),
    "a path of a file": Broken(_path_of_a_file, "disk", "file.d   # and name this directory"),
    "java 11": Broken(lambda home: home.java("11.0.25"), "java", "JAVA_HOME"),
    "java 8": Broken(lambda home: home.java("1.8.0_402"), "java", "JAVA_HOME"),
    "java 25 with an old hadoop": Broken(_java_25, "java", "JAVA_HOME"),
    "JAVA_HOME without java": Broken(_set("JAVA_HOME", "/no/jdk"), "java", "JAVA_HOME"),
    "java that does not start": Broken(_silent_java, "java", "JAVA_HOME"),
    "no spark": Broken(_set("SPARK_HOME", "/no/spark"), "spark", "pip install 'pyspark>=4.0,<4.4'"),
    "spark 3.5": Broken(_spark_3, "spark", "pip install 'pyspark>=4.0,<4.4'"),
    "newer spark": Broken(_spark_5, "spark", "pyspark~=4.", 1),
    "pyspark of another line": Broken(lambda home: home.pyspark("4.1.4"), "pyspark", "pyspark==4.2.0"),
    "scala 2.12": Broken(lambda home: home.spark("4.2.0", "2.12.18"), "scala", "pip install"),
    "connector for scala 2.12": Broken(
        _jars(CORE, f"stoplog-kafka_2.12-{version()}.jar"), "scala", "replace stoplog-kafka_2.12"
    ),
    "old hadoop with s3": Broken(_spark_4_0, "hadoop", "pip install 'pyspark~=4."),
    "missing hadoop-aws": Broken(
        _arguments("s3a://bucket/events"), "hadoop-aws", "org.apache.hadoop:hadoop-aws:3.5.0"
    ),
    "missing hadoop-aws for a setting": Broken(
        _defaults(hadoop__fs__s3a__endpoint="http://minio:9000"), "hadoop-aws", "hadoop-aws:3.5.0"
    ),
    "missing hadoop-azure": Broken(
        _arguments("abfss://c@a.dfs.core.windows.net/x"), "hadoop-azure", "hadoop-azure:3.5.0"
    ),
    "hadoop-aws of another version": Broken(
        _packages("org.apache.hadoop:hadoop-aws:3.3.4"), "hadoop-aws", "by hadoop-aws:3.5.0"
    ),
    "hadoop-aws without the sdk": Broken(
        _jars("hadoop-aws-3.5.0.jar"), "aws-sdk", "org.apache.hadoop:hadoop-aws:3.5.0"
    ),
    "a path with s3": Broken(_arguments("s3://bucket/x"), "scheme", "s3a://bucket/x"),
    "a setting with s3": Broken(
        _defaults(eventLog__dir="s3://bucket/logs"), "scheme", "spark.eventLog.dir s3a://bucket/logs"
    ),
    "s3 by the file system of a platform": Broken(
        _all(_arguments("s3://bucket/x"), _site("fs.s3.impl", "com.example.OtherFileSystem")),
        "scheme",
        "s3a://bucket/x",
        1,
    ),
    "missing gcs connector": Broken(
        _arguments("gs://bucket/x"), "gcs-connector", "com.google.cloud.bigdataoss:gcs-connector:"
    ),
    "delta connector on spark 4.0": Broken(
        _all(_spark_4_0, _packages(f"io.github.stoplog:stoplog-delta_2.13:{version()}")),
        "delta",
        "pip install 'pyspark>=4.1,<4.4'",
    ),
    "old python for drivers": Broken(_old_driver, "python", f"export PYSPARK_DRIVER_PYTHON={sys.executable}"),
    "old pyarrow": Broken(_old_pyarrow, "pyarrow", "pip install 'pyarrow>=18.0.0'", 1),
    "connector without core": Broken(_jars(KAFKA), "connector", CORE, 1),
    "connector without core in --jars": Broken(_submitted, "connector", "export PYSPARK_SUBMIT_ARGS="),
    "connector without core in spark": Broken(_in_spark, "connector", "cp /"),
    "core of another release": Broken(
        _jars("stoplog_2.13-0.0.9.jar"), "stoplog-version", "pip install stoplog==0.0.9"
    ),
    "connector of another release": Broken(
        _jars(CORE, "stoplog-jdbc_2.13-0.0.9.jar"), "stoplog-version", f"stoplog-jdbc_2.13:{version()}"
    ),
    "two cores": Broken(_jars(CORE, "stoplog_2.13-0.0.9.jar"), "stoplog-twice", "Remove stoplog_2.13:0.0.9"),
    "a jar that is not there": Broken(_defaults(jars="/no/such.jar"), "jar-missing", "/no/such.jar"),
    "STOPLOG_JAR that is not there": Broken(
        _set("STOPLOG_JAR", "/no/stoplog.jar"), "stoplog-jar", "unset STOPLOG_JAR"
    ),
    "kafka module of another line": Broken(
        _packages("org.apache.spark:spark-sql-kafka-0-10_2.13:4.0.1"),
        "spark-module",
        "spark-sql-kafka-0-10_2.13:4.2.0",
    ),
    "kafka module on a patch release without one": Broken(
        _all(_spark("4.1.4"), _packages("org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0")),
        "spark-module",
        "spark-sql-kafka-0-10_2.13:4.1.3",
    ),
    "kafka module on a line without one": Broken(
        _all(_spark("4.3.0"), _packages("org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0")),
        "spark-module",
        "pip install 'pyspark~=4.2.0'",
    ),
    "avro module of another line": Broken(
        _packages("org.apache.spark:spark-avro_2.13:4.1.1"), "spark-module", "spark-avro_2.13:4.2.0"
    ),
    "cloud module of another line": Broken(
        _packages("org.apache.spark:spark-hadoop-cloud_2.13:4.1.1"), "spark-module", "of Spark 4.2"
    ),
    "avro module of spark 3": Broken(
        _packages("org.apache.spark:spark-avro_2.12:3.5.0"), "scala", "spark-avro_2.13"
    ),
    "another python in the workers": Broken(_other_python, "python", f"PYSPARK_PYTHON={sys.executable}", 1),
    "no python in the workers": Broken(_set("PYSPARK_PYTHON", "/no/python"), "python", "PYSPARK_PYTHON=", 1),
    "posix locale": Broken(_set("LC_ALL", "POSIX"), "locale", "export LC_ALL=C.UTF-8", 1),
    "locale that is not installed": Broken(
        _set("LC_ALL", "xx_XX.UTF-8"), "locale", "export LC_ALL=C.UTF-8", 1
    ),
    "few open files": Broken(_few_files, "open-files", "ulimit -n 65536"),
    "unknown time zone": Broken(_set("TZ", "Mars/Phobos"), "time-zone", "export TZ=UTC", 1),
    "unknown session time zone": Broken(
        _defaults(sql__session__timeZone="Mars/Phobos"), "time-zone", "spark.sql.session.timeZone UTC"
    ),
    "slow clock": Broken(_slow_clock, "clock", "timedatectl set-ntp true"),
    "local directory that is not there": Broken(_set("SPARK_LOCAL_DIRS", "/no/disk"), "disk", "mkdir -p"),
    "ansi off": Broken(_defaults(sql__ansi__enabled="false"), "setting", "spark.sql.ansi.enabled true", 1),
    "legacy time parser": Broken(
        _defaults(sql__legacy__timeParserPolicy="LEGACY"), "setting", "timeParserPolicy CORRECTED", 1
    ),
    "purge of uploads": Broken(
        _arguments("--conf", "spark.hadoop.fs.s3a.multipart.purge=true"), "setting", "purge false"
    ),
    "one checkpoint for all": Broken(
        _defaults(sql__streaming__checkpointLocation="/cp"), "setting", "checkpointLocation for each query", 1
    ),
    "packages on a cluster": Broken(
        _arguments(
            *("--conf", "spark.master=yarn", "--conf", "spark.jars=s3a.jar.txt"),
            *("--conf", "spark.jars.packages=a:b_2.13:1"),
        ),
        "packages",
        "spark.jars.packages",
        1,
    ),
}
"""By what is wrong: the environment, and what doctor says."""


KAFKA_MODULE = "org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0"


def _spark_4_1(home: Home) -> None:
    home.java("21.0.4")
    home.spark("4.1.4", hadoop="3.4.2")
    home.pyspark("4.1.4")


WORKING: dict[str, Callable[[Home], object]] = {
    "s3 by packages": _all(_arguments("s3a://bucket/x"), _packages("org.apache.hadoop:hadoop-aws:3.5.0")),
    "s3 by files": _all(
        _arguments("s3a://bucket/x"),
        _jars("hadoop-aws-3.5.0.jar", "bundle-2.35.4.jar"),
    ),
    "s3 of a provider": _arguments(
        "s3://bucket/x", "--conf", "spark.hadoop.fs.s3.impl=org.apache.hadoop.fs.s3a.S3AFileSystem"
    ),
    "s3 of a platform": _all(
        _arguments("s3://bucket/x"), _site("fs.s3.impl", "org.apache.hadoop.fs.s3a.S3AFileSystem")
    ),
    "gcs by packages": _all(
        _arguments("gs://bucket/x"), _packages("com.google.cloud.bigdataoss:gcs-connector:hadoop3-2.2.21")
    ),
    "gcs by a file": _all(_arguments("gs://bucket/x"), _jars("gcs-connector-hadoop3-latest.jar")),
    "gcs of a platform": _all(
        _arguments("gs://bucket/x"),
        _site("fs.gs.impl", "com.google.cloud.hadoop.fs.gcs.GoogleHadoopFileSystem"),
    ),
    "a configuration that is not XML": _broken_site,
    "jupyter as the driver": _set("PYSPARK_DRIVER_PYTHON", "/no/jupyter"),
    "modules of the newest line": _packages(KAFKA_MODULE, "org.apache.spark:spark-avro_2.13:4.2.0"),
    "modules of spark 4.1": _all(
        _spark("4.1.4"),
        _packages(
            "org.apache.spark:spark-sql-kafka-0-10_2.13:4.1.3", "org.apache.spark:spark-avro_2.13:4.1.1"
        ),
    ),
    "a setting that spark has": _defaults(hadoop__fs__s3a__vectored__read__min__seek__size="128K"),
    "connector with core": _jars(CORE, KAFKA),
    "connector by packages": _packages(
        f"io.github.stoplog:stoplog-kafka_2.13:{version()}",
        KAFKA_MODULE,
    ),
    "jars elsewhere": _defaults(jars="/opt/jars/*.jar,hdfs://nn/a.jar,https://repo/b.jar"),
    "spark 4.1 on java 21": _spark_4_1,
    "java 25": lambda home: home.java("25.0.1"),
    "a zone of the system": _all(_set("TZ", ":/etc/localtime"), _defaults(sql__session__timeZone="+02:00")),
    "a rule as a zone": _set("TZ", "CET-1CEST,M3.5.0,M10.5.0/3"),
    "a region as a zone": _all(_set("TZ", "Europe/Berlin"), _defaults(sql__session__timeZone="Asia/Tokyo")),
    "quoted options of java": _defaults(driver__extraJavaOptions='"-Djava.io.tmpdir=/tmp" -Dx=1'),
    "an own jar with all classes": _own_jar("assembly-7.jar"),
    "a path that does not exist yet": lambda home: home.arguments.extend(
        [f"{home.root}/no/such/directory", f"file:{home.root}/none"]
    ),
    "settings as they should be": _defaults(
        sql__ansi__enabled="true",
        sql__legacy__timeParserPolicy="CORRECTED",
        master="local[4]",
    ),
}
"""By what is unusual: environments in which nothing is wrong."""
