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
  .settings(publish / skip := true, TestBed.settings)

lazy val connectors = Connectors.projects

/** What goes beyond files, one of `connectors/list.txt`: each an artifact of its own, `stoplog-<id>`, with the clients of its system. */
def connector(id: String): Project = Project(id, file(s"connectors/$id"))
  .dependsOn(core % "compile;test->test")
  .settings(ConnectorDataSources.settings(id))
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
  libraryDependencies ++= Dependencies.kafkaClients,
  libraryDependencies ++= Dependencies.sparkKafka(Versions.sparkLine).map(_ % Test)
)

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
    libraryDependencies ++= Dependencies.s3aModules.map(_ % Test),
    libraryDependencies += Dependencies.lineageExtension % Provided,
    Test / unmanagedSourceDirectories += (LocalRootProject / baseDirectory).value / "laws" / "src" / "main" / "scala",
    thinJar,
    Published.settings,
    SparkTests.settings,
    Test / javaOptions += s"-Dstoplog.servers=${(LocalRootProject / servers).value}"
  )

/** Calls of other systems, many at the same time. It has no client of its own: that is the caller's. */
lazy val async = connector("async")

/** Upserts and transactions into databases. The driver of a database is the user's, as with Spark's own `jdbc`. */
lazy val jdbc = connector("jdbc")
  .dependsOn(writeAheadSpi)
  .settings(
    libraryDependencies ++= Dependencies.jdbcDrivers.map(_ % Test),
    libraryDependencies ++= Seq(
      "com.h2database"   % "h2"         % Versions.h2    % Test,
      "org.apache.derby" % "derby"      % Versions.derby % Test,
      "org.apache.derby" % "derbytools" % Versions.derby % Test
    )
  )

/** Finished files in Delta tables. The data files are Spark's to read: only the log of the table is written here. */
lazy val delta = connector("delta").settings(libraryDependencies ++= Dependencies.deltaKernel)

/** Finished files in Iceberg tables. The data files are Spark's to read: only metadata is written here. */
lazy val iceberg = connector("iceberg").settings(
  libraryDependencies ++= Dependencies.iceberg,
  libraryDependencies ++= Seq(Dependencies.icebergReader % Test, "com.h2database" % "h2" % Versions.h2 % Test)
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
  Compile / resourceGenerators += versionProperties("stoplog").taskValue,
  Compile / resourceGenerators += otherNames.taskValue
)

/** The definitions that the Python package reads, in the jar that they are from. `make docs` writes the file. */
def sharedWithPython(jar: String) = Compile / packageBin / mappings ++= {
  val file = (LocalRootProject / baseDirectory).value / "python" / "stoplog" / "shared" / s"$jar.json"
  if (file.exists) Seq(file -> s"stoplog/shared/$jar.json") else Nil
}

/** The names of options in other systems, which Python and the jar read. The file is written by hand. */
def otherNames = Def.task {
  val file = (Compile / resourceManaged).value / "stoplog" / "shared" / "names.json"
  IO.copyFile((LocalRootProject / baseDirectory).value / "python" / "stoplog" / "shared" / file.getName, file)
  Seq(file)
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
