ThisBuild / organization := "io.github.stoplog"
ThisBuild / version      := Versions.stoplog((LocalRootProject / baseDirectory).value.toPath)
ThisBuild / scalaVersion := Versions.scala

ThisBuild / description   := "Exactly-once rolling files for Apache Spark"
ThisBuild / versionScheme := Some("early-semver")

lazy val root = (project in file(".")).aggregate(core).settings(publish / skip := true)

lazy val core = (project in file("scala-core"))
  .settings(
    name := "stoplog",
    scalacOptions ++= Seq("-deprecation", "-feature", "-unchecked", "-Xlint", "-Werror", "-release", "17"),
    scalacOptions ++= Seq("-encoding", "utf8"),
    thinJar,
    versionResource,
    localRepository,
    sparkTests
  )

/** Spark brings the Scala library along, so not even that one is a dependency of the published artifact. */
lazy val thinJar = Seq(
  autoScalaLibrary := false,
  libraryDependencies ++= Seq(
    "org.scala-lang"    % "scala-library" % Versions.scala     % Provided,
    "org.apache.spark" %% "spark-sql"     % Versions.spark     % Provided,
    "org.scalatest"    %% "scalatest"     % Versions.scalatest % Test
  ),
  pomPostProcess := ThinPom.apply
)

/** `stoplog/version.properties` in the jar: what `FileSink.version()` answers and Python compares itself with. */
lazy val versionResource = Compile / resourceGenerators += Def.task {
  val file = (Compile / resourceManaged).value / "stoplog" / "version.properties"
  IO.write(file, s"version=${version.value}\nspark=${Versions.spark}\n")
  Seq(file)
}

/** A Maven repository inside the clone. Not ~/.m2: Ivy prefers that one, and a stale copy there would hide ours. */
lazy val localRepository = Seq(
  publishTo         := Some(MavenCache("build-repo", (LocalRootProject / baseDirectory).value / "build" / "repo")),
  publishMavenStyle := true
)

addCommandAlias("publishRepo", "set core / Compile / packageDoc / publishArtifact := false; core/publish")

/** The tests run in a JVM of their own, with the JDK's internals opened as Spark's launcher opens them. */
lazy val sparkTests = Seq(
  Test / fork := true,
  Test / javaOptions ++= Seq(
    "java.lang",
    "java.lang.invoke",
    "java.lang.reflect",
    "java.io",
    "java.net",
    "java.nio",
    "java.util",
    "java.util.concurrent",
    "java.util.concurrent.atomic",
    "sun.nio.ch",
    "sun.nio.cs",
    "sun.security.action",
    "sun.util.calendar"
  ).map(p => s"--add-opens=java.base/$p=ALL-UNNAMED"),
  Test / javaOptions ++= Seq("-Xmx3g", "-Djdk.reflect.useDirectMethodHandle=false"),
  Test / javaOptions ++= sys.env.get("STOPLOG_LONG").filter(_ == "1").map(_ => "-Dstoplog.long=true").toSeq,
  Test / testOptions += Tests.Argument(TestFrameworks.ScalaTest, "-oDF"),
  Test / parallelExecution := false
)
