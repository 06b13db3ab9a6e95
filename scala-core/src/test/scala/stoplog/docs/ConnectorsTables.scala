// SPDX-License-Identifier: Apache-2.0
package stoplog.docs

import stoplog.docs.CompatibilityPage.{lines, version}

/** The section of `docs/reference/compatibility.md` on connectors. */
private object ConnectorsTables {

  def text: String =
    s"""## Connectors
       |
       |Each in the version of the jar, ${version(
        "stoplog"
      )}: no other version is tested, and a connector rejects a start with a jar of another version
       |(`STOPLOG_VERSION_MISMATCH`).
       |
       || Artifact | Dependencies | Tested with |
       ||---|---|---|
       |${artifacts.map(row => s"| $row |").mkString("\n|")}
       |
       |The same jars run on every line of Spark. `make test-spark-lines` runs a sample of the end-to-end tests of each
       |connector, in which queries die at a step of the protocol and restart:
       |
       || On Spark | ${lines.mkString(" | ")} |
       ||---${"|---" * lines.size}|
       |${rows.map(row => s"| ${row.mkString(" | ")} |").mkString("\n|")}
       |
       |Spark's source for Kafka is a separate module, `spark-sql-kafka-0-10`, which must belong to your Spark line: the table
       |shows the tested version, which is the newest published version. The sink does not need the module. `Decoder.avro`
       |needs `spark-avro` in the version of your Spark line.
       |
       |S3 is tested on S3Mock ${version("s3mock")} and S3Proxy ${version(
        "s3proxy"
      )}, HDFS on Hadoop ${version("hadoop")}.
       |""".stripMargin

  private def artifacts: Seq[String] = {
    val scala = version("scala").split('.').take(2).mkString(".")
    Repository.connectors.map(_.getFileName.toString).map(id => s"`stoplog-${id}_$scala` | ${about(id)}")
  }

  /** Returns the dependencies of a connector and the tested versions. */
  private def about(id: String): String = id match {
    case "async"     => "none |"
    case "cassandra" =>
      s"java-driver-core-shaded ${version("cassandraDriver")} | Cassandra ${version("cassandra")}"
    case "delta" =>
      s"delta-kernel-api and delta-kernel-defaults ${version("deltaKernel")} | Spark 4.1 or later, local disks; the readers delta-rs and polars"
    case "iceberg" =>
      s"iceberg-core and iceberg-parquet ${version("icebergLibrary")} | the catalogs hadoop and jdbc"
    case "jdbc" =>
      s"none: you add the driver | PostgreSQL ${version("postgres")}, MariaDB ${version("mariaDb")}, " +
        s"SQLite ${version("sqlite")}, Derby ${version("derby")}, H2 ${version("h2")}"
    case "kafka" =>
      s"kafka-clients ${version("kafkaClients")} | kafka-clients ${version("kafkaNewest")}, too; " +
        s"brokers of Kafka ${version("kafka")} ([why not later](../beyond-files/kafka.md#what-is-not-promised))"
    case "wal" => "none | every target of the other connectors"
  }

  private def rows: Seq[Seq[String]] = Seq(
    "Kafka: the sink"                                 -> "test_kafka.py",
    "Databases"                                       -> "test_jdbc.py",
    "Cassandra: the sink and the source"              -> "test_cassandra.py",
    "Write-ahead to a web server"                     -> "test_wal.py",
    "Write-ahead to a database and to Cassandra"      -> "test_wal_tables.py",
    "Calls of other systems, also over Spark Connect" -> "test_async.py"
  ).map { case (what, test) => what +: lines.map(_ => tried(test)) }
    .patch(1, Seq("Kafka: the builder of Spark's source" +: lines.map(module)), 0)

  /** A test that runs on each line alike. */
  private def tried(test: String): String = {
    val marked =
      Repository.read(Repository.root.resolve(s"tests/e2e/$test")).contains("@pytest.mark.spark_lines")
    require(marked, s"nothing in $test runs on every line of Spark")
    "yes"
  }

  private def module(spark: String): String = {
    val line = spark.split('.').take(2).mkString(".")
    s"""\"$line\" +-> SparkKafka\\(\"([^\"]+)\"""".r
      .findFirstMatchIn(Repository.read(Repository.root.resolve("project/Versions.scala")))
      .fold("not tried: none is published")(found => s"with ${found.group(1)}")
  }
}
