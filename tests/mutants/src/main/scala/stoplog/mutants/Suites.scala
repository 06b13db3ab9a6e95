// SPDX-License-Identifier: Apache-2.0
package stoplog.mutants

import java.net.{URL, URLClassLoader}

import scala.collection.mutable

import org.scalatest.events.{Event, SuiteAborted, TestFailed}
import org.scalatest.{Args, Reporter, Suite}

/** The suites, in class loaders of their own where what a mutant leaves in an object must not outlive it. */
class Suites(classes: Seq[URL]) {
  private var common = newLoader()

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
    val suite   = instance(name, newLoader())
    val inSuite = Active.stopRecording()
    suite.testNames.toSeq.flatMap { test =>
      Active.startRecording()
      val start   = Watch.processorMillis
      val failure = run(suite, test)
      val reached = inSuite ++ Active.stopRecording()
      if (failure.nonEmpty) System.err.println(s"$name: $test fails without a mutant: ${failure.mkString}")
      if (failure.isEmpty) Some(TestRun(name, test, Watch.processorMillis - start, reached)) else None
    }
  }

  /** The first test that fails with a mutant, of the suites that reach it.
    *
    * A class loader that mutants have in common is many times as fast as one of their own, in which all is loaded and
    * compiled anew. A failure in it counts if the test passes again without the mutant: else an earlier mutant may have
    * left something in an object, and a new class loader decides. What an initializer reads needs one in any case.
    *
    * @param endless ends the process, once a test has not ended for too long
    */
  def killer(mutant: Int, bySuite: Seq[(String, Seq[TestRun])], endless: () => Unit): Option[String] = {
    def alone = firstFailed(mutant, bySuite, newLoader(), endless)
    if (bySuite.exists(_._2.exists(_.reached.get(mutant).contains(true)))) alone
    else
      firstFailed(mutant, bySuite, common, endless).flatMap { failed =>
        if (firstFailed(Active.None, only(failed, bySuite), common, endless).isEmpty) Some(failed)
        else {
          common = newLoader()
          alone
        }
      }
  }

  private def only(failed: String, bySuite: Seq[(String, Seq[TestRun])]): Seq[(String, Seq[TestRun])] =
    bySuite.map { case (suite, tests) => suite -> tests.filter(_.name == failed) }.filter(_._2.nonEmpty)

  private def firstFailed(
      mutant: Int,
      bySuite: Seq[(String, Seq[TestRun])],
      in: ClassLoader,
      endless: () => Unit
  ): Option[String] = {
    Active.set(mutant)
    try
      bySuite.iterator
        .flatMap { case (suite, tests) =>
          Watch.within(tests.map(_.millis).sum)(firstFailed(suite, tests, in))(endless())
        }
        .nextOption()
    finally Active.set(Active.None)
  }

  /** One that is not made at all fails as its first test. */
  private def firstFailed(name: String, tests: Seq[TestRun], in: ClassLoader): Option[String] =
    try {
      val suite = instance(name, in)
      tests.find(test => run(suite, test.test).nonEmpty).map(_.name)
    } catch { case _: Throwable => tests.headOption.map(_.name) }

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

  private def instance(name: String, in: ClassLoader): Suite = {
    Thread.currentThread.setContextClassLoader(in)
    Class.forName(name, true, in).getConstructor().newInstance().asInstanceOf[Suite]
  }

  private def newLoader(): ClassLoader = new URLClassLoader(classes.toArray, getClass.getClassLoader)
}
