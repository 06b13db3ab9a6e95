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
    libraryDependencies ++= s3aModules.map(_ % Test),
    thinJar,
    localRepository,
    sparkTests,
    Test / javaOptions += s"-Dstoplog.servers=${(LocalRootProject / servers).value}"
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
  inJava,
  libraryDependencies += "org.apache.hadoop" % "hadoop-minicluster" % Versions.hadoop
)

/** Two S3 servers of different make, each alone on its class path, and apart from them the client. */
lazy val s3Servers = (project in file("tests/servers/s3")).settings(
  inJava,
  ivyConfigurations ++= Seq(S3Mock, S3Proxy, S3a),
  libraryDependencies ++= Seq(
    ("com.adobe.testing" % "s3mock" % Versions.s3mock % S3Mock classifier "exec").intransitive(),
    ("org.gaul" % "s3proxy" % Versions.s3proxy % S3Proxy classifier "jar-with-dependencies").intransitive()
  ),
  libraryDependencies ++= s3aModules.map(_ % S3a)
)

lazy val S3Mock  = config("s3mock").hide
lazy val S3Proxy = config("s3proxy").hide
lazy val S3a     = config("s3a").hide

/** S3A with the three modules of the SDK that it needs, not the bundle of all (690 MB). */
lazy val s3aModules = Seq(
  "org.apache.hadoop" % "hadoop-aws" % Versions.hadoop exclude ("software.amazon.awssdk", "bundle")
) ++ Seq("s3", "s3-transfer-manager", "sts").map("software.amazon.awssdk" % _ % Versions.awsSdk)

lazy val servers = taskKey[File]("Compile the tests' servers and write their class paths to build/servers.")

servers := {
  val jars = (s3Servers / update).value
  val s3   = (s3Servers / Compile / products).value
  ServerClassPaths.write(
    baseDirectory.value / "build" / "servers",
    "hdfs"    -> (hdfsServer / Runtime / fullClasspath).value.files,
    "s3mock"  -> (s3 ++ jars.select(configurationFilter(S3Mock.name))),
    "s3proxy" -> (s3 ++ jars.select(configurationFilter(S3Proxy.name))),
    "s3a"     -> jars.select(configurationFilter(S3a.name))
  )
}

lazy val inJava = Seq(
  autoScalaLibrary := false,
  crossPaths       := false,
  publish / skip   := true
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
