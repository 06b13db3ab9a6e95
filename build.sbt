ThisBuild / organization := "io.github.stoplog"
ThisBuild / version      := Versions.stoplog
ThisBuild / scalaVersion := Versions.scala

lazy val core = (project in file("scala-core"))
  .settings(
    name := "stoplog",
    libraryDependencies ++= Seq(
      "org.apache.spark" %% "spark-sql" % Versions.spark     % Provided,
      "org.scalatest"    %% "scalatest" % Versions.scalatest % Test
    ),
    scalacOptions ++= Seq("-deprecation", "-feature", "-unchecked", "-Xlint", "-Werror", "-release", "17", "-encoding", "utf8"),
    Test / fork := true,
    Test / javaOptions ++= Seq("lang", "lang.invoke", "nio", "util", "util.concurrent", "net", "io")
      .map(p => s"--add-opens=java.base/java.$p=ALL-UNNAMED") ++
      Seq("--add-opens=java.base/sun.nio.ch=ALL-UNNAMED", "-Xmx2g"),
    Compile / packageBin / mappings := (Compile / packageBin / mappings).value
  )

lazy val root = (project in file(".")).aggregate(core).settings(publish / skip := true)
