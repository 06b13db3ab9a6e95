// SPDX-License-Identifier: Apache-2.0
import sbt._
import sbt.Keys._

/** How the tests of a project that knows Spark run. */
object SparkTests {

  /** The tests run in a JVM of their own, with the JDK's internals opened as Spark's launcher opens them. */
  lazy val settings: Seq[Setting[_]] = Seq(
    Test / fork := true,
    Test / javaOptions ++= Seq(
      "-Xmx3g", "-XX:ReservedCodeCacheSize=256m", "-XX:+UseSerialGC",
      // A young generation that grows only as it must is collected more often.
      "-Xms768m", "-Xmn384m",
      // Spark's classes are verified when they are released, and those of the jar in the tests end to end.
      "-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote"
    ),
    // A JVM that lives for a few minutes never gets back what its second compiler costs; one that lives for an hour does.
    Test / javaOptions ++= (if (isLongRun) Seq.empty else Seq("-XX:TieredStopAtLevel=1")),
    Test / javaOptions += "-Dio.netty.tryReflectionSetAccessible=true",
    Test / javaOptions += s"-Djava.io.tmpdir=${sys.props("java.io.tmpdir")}", // that of the run of all tests
    Test / javaOptions ++= Seq(
      "java.io", "java.lang", "java.lang.invoke", "java.lang.reflect", "java.net", "java.nio", "java.util",
      "java.util.concurrent", "java.util.concurrent.atomic", "jdk.internal.ref", "sun.nio.ch", "sun.nio.cs",
      "sun.security.action", "sun.util.calendar"
    ).map(name => s"--add-opens=java.base/$name=ALL-UNNAMED"),
    Test / testOptions += Tests.Argument(TestFrameworks.ScalaTest, "-oD"),
    Test / testOptions ++=
      (if (isLongRun) Nil else Seq(Tests.Argument(TestFrameworks.ScalaTest, "-l", "stoplog.LongRun"))),
    Test / parallelExecution  := true, // of the JVMs; in each of them one suite runs after the other
    Test / testForkedParallel := false,
    Test / testOptions += Tests.Filter(name => isLongRun || !OnlyInLongRuns.exists(name.contains)),
    Test / testOptions += Tests.Filter(!passedBefore(_)),
    // Two JVMs side by side, and the servers in one of them only: each starts once.
    Test / testGrouping := {
      val options = (Test / forkOptions).value
      (Test / definedTests).value
        .groupBy(test => if (UseServers.exists(test.name.contains)) "servers" else "main")
        .toSeq
        .map { case (name, tests) => Tests.Group(name, tests, Tests.SubProcess(options)) }
    }
  )

  /** The JVMs at a time. Some tests wait for servers: a third one takes the processor meanwhile. In a long run all are busy for
    * long, and a server that gets no processor for a minute fails its tests.
    */
  lazy val atOnce: Int = if (isLongRun) 2 else 3

  private lazy val isLongRun = sys.env.get("STOPLOG_LONG").exists(_.nonEmpty)

  /** The suites that an earlier piece of a long run has passed: `scripts/long_run.py`. */
  private lazy val passedBefore: Set[String] =
    sys.env
      .get("STOPLOG_LONG_RUN")
      .map(file(_) / "suites.txt")
      .filter(_.exists)
      .fold(Set.empty[String])(IO.readLines(_).toSet)

  /** The second S3 server answers with parts that have no ETag, now and then, when many are uploaded at a time. The examples
    * of the laws ask Hadoop's local files what the suites of core ask them too.
    */
  private lazy val OnlyInLongRuns = Seq(".S3Proxy") ++
    Seq("Fencing", "Staging", "Spool", "Files", "Finished", "Unannounced", "InPlace", "Cut", "EarlyListing")
      .map(".Own" + _)

  /** Suites of core that start an HDFS or an S3 server. */
  private lazy val UseServers =
    Seq("Hdfs", "S3", ".SinkCheckSuite", ".StorageAtSuite", ".SourceBesideSinkSuite")
}
