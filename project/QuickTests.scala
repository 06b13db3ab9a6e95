// SPDX-License-Identifier: Apache-2.0
import sbt._
import sbt.Keys._

/** The tests that need neither Spark nor a server, in sbt's own JVM: what `make quick` runs. */
object QuickTests {

  lazy val Quick = config("quick").extend(Test)

  /** The sources and class path are those of `Test`. */
  lazy val settings: Seq[Setting[_]] = inConfig(Quick)(Defaults.testTasks) ++ Seq(
    Quick / parallelExecution := true,
    Quick / testGrouping      := Seq(Tests.Group("quick", (Quick / definedTests).value, Tests.InProcess)),
    // ScalaTest takes the first of two settings of its reporter, so that of `Test` goes.
    Quick / testOptions := (Test / testOptions).value.filterNot(_.isInstanceOf[Tests.Argument]),
    Quick / testOptions += Tests.Filter(isQuick),
    Quick / testOptions += Tests.Argument(TestFrameworks.ScalaTest, "-oCHLOPQRW"), // failures only
    Quick / logBuffered := false,
    // Spark, Hadoop and ScalaTest stay loaded, and compiled, from run to run of the server.
    Quick / classLoaderLayeringStrategy := ClassLoaderLayeringStrategy.AllLibraryJars
  )

  /** For a project that has no tests of its own, and runs the quick ones of these. */
  def of(projects: Seq[ProjectReference]): Seq[Setting[_]] = settings ++ Seq(
    publish / skip                            := true,
    libraryDependencies += "org.apache.spark" %% "spark-sql" % Versions.spark % Test,
    Quick / definedTests := (Test / definedTests).all(ScopeFilter(inProjects(projects: _*))).value.flatten
  )

  private def isQuick(suite: String): Boolean =
    Packages.exists(name => suite.startsWith(s"stoplog.$name.")) && !Slow.exists(suite.endsWith) ||
      Suites.exists(name => suite.endsWith(s".$name"))

  private lazy val Packages = Seq(
    "log", "part", "rolling", "bucket", "options", "source", "admin", "error", "commit", "fault", "preflight",
    "docs"
  )

  /** Suites of these packages that start Spark or processes, or walk through all crashes for many seconds. */
  private lazy val Slow = Seq(
    "ExpressionBucketAssignerSuite", "PartitionColumnsSuite", "HiddenBucketsSuite", "file.CrashSuite",
    "AdminCrashSuite", "TwoPhaseMatrixSuite", "SplitWalkSuite"
  )

  /** Suites of connectors and other packages. */
  private lazy val Suites = Seq(
    "LayersSuite", "CallerSuite", "WindowSuite", "AsyncErrorsSuite", "CassandraErrorsSuite",
    "CassandraOptionsSuite", "ChunkTimesSuite", "CausesSuite", "KeyTicksSuite", "EpochClockSuite",
    "InFlightSuite", "TokenSpanSuite", "GoldenSplitsSuite", "FailureKindSuite", "JdbcOptionsSuite",
    "KafkaSinkOptionsSuite", "TokensSuite", "GoldenTokensSuite", "WriteAheadErrorsSuite"
  )
}
