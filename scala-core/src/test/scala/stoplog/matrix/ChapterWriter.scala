// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import org.scalatest.Outcome
import org.scalatest.funsuite.AnyFunSuite

/** A suite that writes its chapter of a [[MatrixPage]] after a long run has tried everything.
  *
  * A class: what a trait overrides of ScalaTest's would not be called, since the build makes no forwarders.
  */
abstract class ChapterWriter extends AnyFunSuite with Cells {

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
    val steps = "the guide names the chapter with its number of steps"
    test(steps) {
      if (long && proven + steps == testNames) chapter.page.write(chapter, section)
      assert(MatrixPage.stepsInGuide(chapter) === Some(MatrixPage.stepsOf(section)))
    }
  }
}
