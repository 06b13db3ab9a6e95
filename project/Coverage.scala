// SPDX-License-Identifier: Apache-2.0
import sbt._
import sbt.Keys._

/** Which lines the tests run, by JaCoCo's agent in their JVMs: what is tested is the classes of the jar, as they are. */
object Coverage {

  lazy val Jacoco = config("jacoco").hide

  lazy val coverage = taskKey[File]("Run the tests with JaCoCo's agent; answers the report's first page.")

  /** For `make coverage` alone: an agent costs each JVM of the tests some time. */
  lazy val isOn: Boolean = sys.env.get("STOPLOG_COVERAGE").exists(_.nonEmpty)

  lazy val settings: Seq[Setting[_]] =
    if (!isOn) Seq.empty
    else
      Seq(
        ivyConfigurations += Jacoco,
        libraryDependencies ++= Seq(
          ("org.jacoco" % "org.jacoco.agent" % Versions.jacoco % Jacoco classifier "runtime").intransitive(),
          ("org.jacoco" % "org.jacoco.cli"   % Versions.jacoco % Jacoco classifier "nodeps").intransitive()
        ),
        Test / javaOptions +=
          s"-javaagent:${jar("agent", update.value)}=destfile=${executed(target.value)},append=true,includes=stoplog.*",
        coverage := {
          val report = (LocalRootProject / baseDirectory).value / "build" / "coverage" / "scala"
          IO.delete(report)
          (Test / test).result.value // a failed test has run its lines, too
          val arguments =
            Seq("-jar", jar("cli", update.value).getPath, "report", executed(target.value).getPath) ++
              Seq("--classfiles", (Compile / classDirectory).value.getPath) ++
              Seq("--sourcefiles", (Compile / scalaSource).value.getPath) ++
              Seq("--name", name.value, "--html", report.getPath, "--csv", (report / "lines.csv").getPath)
          val code = Fork.java(ForkOptions(), arguments)
          if (code != 0) sys.error(s"JaCoCo's report ended with exit code $code.")
          report / "index.html"
        }
      )

  private def executed(target: File): File = target / "jacoco.exec"

  private def jar(module: String, found: UpdateReport): File = found
    .select(configurationFilter(Jacoco.name), moduleFilter(name = s"org.jacoco.$module"), artifactFilter())
    .head
}
