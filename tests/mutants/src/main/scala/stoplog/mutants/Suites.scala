// SPDX-License-Identifier: Apache-2.0
package stoplog.mutants

import java.net.{URL, URLClassLoader}

import scala.collection.mutable

import org.scalatest.events.{Event, SuiteAborted, TestFailed}
import org.scalatest.{Args, Reporter, Suite}

/** One test, how long it took with no mutant active, and which mutants it reaches: true for those that only the
  * first to come there reaches.
  */
case class TestRun(suite: String, test: String, millis: Long, reached: Map[Int, Boolean])

/** The suites in a class loader of their own for each mutant, so that what one leaves in an object does not outlive it.
  */
class Suites(classes: Seq[URL]) {
  def all(named: String => Boolean, candidates: Seq[String]): Seq[String] =
    candidates.filter(named).filter { name =>
      val loaded = Class.forName(name, false, newLoader())
      classOf[Suite].isAssignableFrom(loaded) && !java.lang.reflect.Modifier
        .isAbstract(loaded.getModifiers) &&
      loaded.getConstructors.exists(_.getParameterCount == 0)
    }

  /** Every test by itself; a test that fails without a mutant is left out. */
  def withoutMutants(name: String): Seq[TestRun] = {
    Active.startRecording()
    val suite   = instance(name)
    val inSuite = Active.stopRecording()
    suite.testNames.toSeq.flatMap { test =>
      Active.startRecording()
      val start   = System.nanoTime
      val failure = run(suite, test)
      val reached = inSuite ++ Active.stopRecording()
      if (failure.nonEmpty) System.err.println(s"$name: $test fails without a mutant: ${failure.mkString}")
      if (failure.isEmpty) Some(TestRun(name, test, (System.nanoTime - start) / 1000000, reached)) else None
    }
  }

  /** The first test that fails. */
  def killer(name: String, tests: Seq[String]): Option[String] =
    try {
      val suite = instance(name)
      tests.find(test => run(suite, test).nonEmpty)
    } catch { case _: Throwable => Some("its constructor") }

  private def run(suite: Suite, test: String): Option[String] = {
    val failed   = mutable.ArrayBuffer.empty[String]
    val reporter = new Reporter {
      def apply(event: Event): Unit = event match {
        case failure: TestFailed => failed += failure.message
        case abort: SuiteAborted => failed += abort.message
        case _                   =>
      }
    }
    try if (!suite.run(Some(test), Args(reporter)).succeeds() && failed.isEmpty) failed += "it failed"
    catch { case failure: Throwable => failed += failure.toString }
    failed.headOption
  }

  private def instance(name: String): Suite =
    Class.forName(name, true, newLoader()).getConstructor().newInstance().asInstanceOf[Suite]

  private def newLoader(): ClassLoader = {
    val loader = new URLClassLoader(classes.toArray, getClass.getClassLoader)
    Thread.currentThread.setContextClassLoader(loader)
    loader
  }
}
