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

  lazy val jdbcDrivers: Seq[ModuleID] = Seq(
    "org.postgresql"   % "postgresql"          % Versions.postgresDriver,
    "org.mariadb.jdbc" % "mariadb-java-client" % Versions.mariaDbDriver,
    "org.xerial"       % "sqlite-jdbc"         % Versions.sqlite
  )

  /** S3A with the three modules of the AWS SDK that S3A needs, without the bundle of all modules (690 MB). */
  lazy val s3aModules: Seq[ModuleID] = s3aOf(Versions.hadoop)

  /** The modules of [[s3aModules]] for a version of Hadoop. */
  def s3aOf(hadoop: String): Seq[ModuleID] = Seq(
    "org.apache.hadoop" % "hadoop-aws" % hadoop exclude ("software.amazon.awssdk", "bundle")
  ) ++ Seq("s3", "s3-transfer-manager", "sts").map("software.amazon.awssdk" % _ % Versions.awsSdk)
}
