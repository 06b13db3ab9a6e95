// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import org.scalatest.Outcome
import org.scalatest.funsuite.AnyFunSuite

/** A suite that writes its chapter of a [[MatrixPage]] when it has tried everything and `STOPLOG_WRITE_DOCS` is set.
  *
  * A class: what a trait overrides of ScalaTest's would not be called, since the build makes no forwarders.
  */
abstract class Proving extends AnyFunSuite with Cells {

  // Names of the tests of this run that held.
  private var proven = Set.empty[String]

  override protected def withFixture(test: NoArgTest): Outcome = {
    val outcome = super.withFixture(test)
    if (outcome.isSucceeded) proven += test.name
    outcome
  }

  /** The text of the chapter. */
  protected def section: String

  /** The last test of a suite. */
  protected final def testPage(chapter: MatrixSection): Unit = {
    val current = "the page in docs is current"
    test(current) {
      if (long && Proving.writesDocs) {
        assert(proven + current === testNames, "the page is written by a run that has tried everything")
        chapter.page.write(chapter, section)
      }
      assert(chapter.page.sectionOf(chapter) === section, "run with STOPLOG_LONG=1 STOPLOG_WRITE_DOCS=1")
    }
  }
}

private object Proving {
  def writesDocs: Boolean = sys.env.get("STOPLOG_WRITE_DOCS").exists(_.nonEmpty)
}
