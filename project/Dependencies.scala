// SPDX-License-Identifier: Apache-2.0
import sbt._

/** Modules that several projects of this build use. */
object Dependencies {

  lazy val kafkaClients: Seq[ModuleID] = Seq("org.apache.kafka" % "kafka-clients" % Versions.kafkaClients)

  /** Spark's Kafka module for a line of Spark. */
  def sparkKafka(line: String): Seq[ModuleID] = {
    val of = Versions.sparkKafka(line)
    Seq(
      "org.apache.spark" % "spark-sql-kafka-0-10_2.13" % of.module
        exclude ("org.apache.spark", "spark-token-provider-kafka-0-10_2.13"),
      ("org.apache.spark" % "spark-token-provider-kafka-0-10_2.13" % of.tokens).intransitive()
    )
  }

  /** Spark's Avro module. Spark contains all dependencies of the module. */
  lazy val sparkAvro: ModuleID =
    ("org.apache.spark" % "spark-avro_2.13" % Versions.sparkAvro).intransitive()

  /** The interface that OpenLineage's listener asks connectors for. The jar of the listener contains it. */
  lazy val lineageExtension: ModuleID =
    "io.openlineage" % "spark-extension-entrypoint" % Versions.openLineageExtension

  /** OpenLineage's listener for Spark, whose jar contains its dependencies. */
  lazy val lineageListener: ModuleID =
    ("io.openlineage" % "openlineage-spark_2.13" % Versions.openLineage).intransitive()

  lazy val jdbcDrivers: Seq[ModuleID] = Seq(
    "org.postgresql"   % "postgresql"          % Versions.postgresDriver,
    "org.mariadb.jdbc" % "mariadb-java-client" % Versions.mariaDbDriver,
    "org.xerial"       % "sqlite-jdbc"         % Versions.sqlite
  )

  /** Iceberg's library without an engine. */
  lazy val iceberg: Seq[ModuleID] = Seq("core", "parquet").map(icebergModule)

  /** Iceberg's reader for tests. Its reader of ORC files needs another build of ORC than the build in Spark. */
  lazy val icebergReader: ModuleID = icebergModule("data").exclude("org.apache.iceberg", "iceberg-orc")

  /** Spark contains Parquet, Avro, Jackson and the other libraries that the exclusions name. */
  private def icebergModule(module: String): ModuleID =
    ("org.apache.iceberg" % s"iceberg-$module" % Versions.icebergLibrary).excludeAll(
      Seq(
        "com.fasterxml.jackson", "com.fasterxml.jackson.core", "io.airlift", "org.apache.avro",
        "org.apache.orc", "org.apache.parquet", "org.roaringbitmap", "org.slf4j"
      ).map(ExclusionRule(_)): _*
    )

  /** Delta's library without an engine. Spark contains the libraries that the exclusions name. */
  lazy val deltaKernel: Seq[ModuleID] = Seq("api", "defaults").map { module =>
    ("io.delta" % s"delta-kernel-$module" % Versions.deltaKernel).excludeAll(
      Seq(
        "com.fasterxml.jackson.core", "com.fasterxml.jackson.datatype", "com.google.code.findbugs",
        "commons-io", "io.unitycatalog", "org.apache.hadoop", "org.apache.parquet", "org.roaringbitmap",
        "org.slf4j"
      ).map(ExclusionRule(_)): _*
    )
  }

  /** S3A with the three modules of the AWS SDK that S3A needs, without the bundle of all modules (690 MB). */
  lazy val s3aModules: Seq[ModuleID] = s3aOf(Versions.hadoop)

  /** The modules of [[s3aModules]] for a version of Hadoop. */
  def s3aOf(hadoop: String): Seq[ModuleID] = Seq(
    "org.apache.hadoop" % "hadoop-aws" % hadoop exclude ("software.amazon.awssdk", "bundle")
  ) ++ Seq("s3", "s3-transfer-manager", "sts").map("software.amazon.awssdk" % _ % Versions.awsSdk)
}
