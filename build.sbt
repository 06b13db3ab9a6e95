ThisBuild / organization := "io.github.stoplog"
ThisBuild / version      := Versions.stoplog
ThisBuild / scalaVersion := Versions.scala

ThisBuild / description   := "Exactly-once rolling files for Apache Spark"
ThisBuild / licenses      := Seq(License.Apache2)
ThisBuild / versionScheme := Some("early-semver")

lazy val root = (project in file(".")).aggregate(core).settings(publish / skip := true)

lazy val core = (project in file("scala-core"))
  .settings(
    name := "stoplog",
    scalacOptions ++= Seq("-deprecation", "-feature", "-unchecked", "-Xlint", "-Werror", "-release", "17"),
    scalacOptions ++= Seq("-encoding", "utf8"),
    // Else every class carries the default methods that its Spark interfaces have in this line, types of theirs included
    // that older lines lack: reflection, and so py4j, would fail there.
    scalacOptions += "-Xmixin-force-forwarders:false",
    Compile / scalacOptions += "-g:line", // lines for stack traces, no tables of local variables: a tenth of the jar
    libraryDependencies ++= Seq(
      "org.apache.spark" %% "spark-sql" % Versions.spark     % Provided,
      "org.scalatest"    %% "scalatest" % Versions.scalatest % Test
    ),
    s3Tests,
    thinJar,
    localRepository,
    sparkTests,
    Test / javaOptions += s"-Dstoplog.hdfsServer=${(hdfsServer / Runtime / fullClasspath).value.files.mkString(":")}"
  )

/** What the tests ask every store, as a library for those who want to ask their own file system. Its own test is the
  * example of CONTRIBUTING.md, which sees no more of stoplog than they do.
  */
lazy val laws = (project in file("laws"))
  .dependsOn(core)
  .settings(
    name := "stoplog-laws",
    scalacOptions ++= Seq("-deprecation", "-feature", "-unchecked", "-Xlint", "-Werror", "-release", "17"),
    Compile / unmanagedSourceDirectories := Seq((core / Test / scalaSource).value / "stoplog" / "laws"),
    libraryDependencies ++= Seq(
      "org.apache.spark" %% "spark-sql" % Versions.spark % Provided,
      "org.scalatest"    %% "scalatest" % Versions.scalatest
    ),
    localRepository,
    sparkTests
  )

/** An HDFS for the tests. It runs in a JVM of its own: the servers' jars and Spark's do not go together. */
lazy val hdfsServer = (project in file("tests/servers/hdfs")).settings(
  libraryDependencies += "org.apache.hadoop" % "hadoop-minicluster" % Versions.hadoop,
  autoScalaLibrary                          := false,
  crossPaths                                := false,
  publish / skip                            := true
)

/** One jar that asks for nothing besides the user's Spark, and says which version and licence it has. */
lazy val thinJar = Seq(
  pomPostProcess := ThinPom.apply,
  Compile / resourceGenerators += versionProperties.taskValue,
  Compile / packageBin / mappings := ClassFiles
    .forJar((Compile / packageBin / mappings).value, target.value / "jar"),
  Compile / packageBin / mappings += (LocalRootProject / baseDirectory).value / "LICENSE" -> "META-INF/LICENSE"
)

/** `stoplog/version.properties`: what `FileSink.version()` answers and Python compares its own with. */
lazy val versionProperties = Def.task {
  val file = (Compile / resourceManaged).value / "stoplog" / "version.properties"
  IO.write(file, s"version=${version.value}\nspark=${Versions.spark}\n")
  Seq(file)
}

/** A Maven repository inside the clone. Ivy prefers ~/.m2: a stale copy there would hide a newer one. */
lazy val localRepository = Seq(
  publishTo := Some(MavenCache("build-repo", (LocalRootProject / baseDirectory).value / "build" / "repo")),
  Compile / packageDoc / publishArtifact := false // a release needs it, a build does not
)

/** The tests run in a JVM of their own, with the JDK's internals opened as Spark's launcher opens them. */
lazy val sparkTests = Seq(
  Test / fork := true,
  Test / javaOptions ++= Seq("-Xmx3g", "-Dio.netty.tryReflectionSetAccessible=true"),
  Test / javaOptions ++= Seq(
    "java.io", "java.lang", "java.lang.invoke", "java.lang.reflect", "java.net", "java.nio", "java.util",
    "java.util.concurrent", "java.util.concurrent.atomic", "jdk.internal.ref", "sun.nio.ch", "sun.nio.cs",
    "sun.security.action", "sun.util.calendar"
  ).map(name => s"--add-opens=java.base/$name=ALL-UNNAMED"),
  Test / testOptions += Tests.Argument(TestFrameworks.ScalaTest, "-oD"),
  Test / parallelExecution := false
)

/** S3A with the three modules of the SDK that it needs, not the bundle of all (690 MB); and a server, which runs in a
  * process of its own and never meets the class path.
  */
lazy val s3Tests = Seq(
  ivyConfigurations += Servers,
  libraryDependencies ++= Seq(
    "org.apache.hadoop"  % "hadoop-aws" % Versions.hadoop % Test exclude ("software.amazon.awssdk", "bundle"),
    ("com.adobe.testing" % "s3mock"     % Versions.s3mock % Servers classifier "exec").intransitive()
  ),
  libraryDependencies ++= Seq("s3", "s3-transfer-manager", "sts").map { module =>
    "software.amazon.awssdk" % module % Versions.awsSdk % Test
  },
  Test / javaOptions += {
    val jars = update.value.select(configurationFilter(Servers.name))
    s"-Dstoplog.test.s3mock=${jars.head}"
  }
)

/** What tests start as processes. */
lazy val Servers = config("servers").hide
