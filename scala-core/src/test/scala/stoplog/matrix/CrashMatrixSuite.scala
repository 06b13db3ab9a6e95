package stoplog.matrix

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Files

import org.scalatest.Outcome
import org.scalatest.funsuite.AnyFunSuite

import stoplog.fault.Step

/** Every step of the protocol, stopped: each row once, nothing else visible.
  *
  * With `STOPLOG_LONG` set in the environment every occurrence of each step, and every pair of steps; otherwise the
  * first or the last occurrence.
  */
class CrashMatrixSuite extends AnyFunSuite {
  private val long  = sys.env.get("STOPLOG_LONG").exists(_.nonEmpty)
  private val write = sys.env.get("STOPLOG_WRITE_DOCS").exists(_.nonEmpty)

  // Names of the tests of this run that held.
  private var proven = Set.empty[String]

  override protected def withFixture(test: NoArgTest): Outcome = {
    val outcome = super.withFixture(test)
    if (outcome.isSucceeded) proven += test.name
    outcome
  }

  private lazy val occurrences = Crash.occurrences(Layout.Staging, Content.Plain)

  test("an undisturbed query passes every step, equally often on every layout and content") {
    assert(Steps.ofQueries.filterNot(occurrences.contains) === Vector.empty)
    for {
      layout  <- Layout.all
      content <- Content.all
    }
      assert(Crash.occurrences(layout, content) === occurrences, s"$layout, $content")
  }

  for {
    layout  <- Layout.all
    content <- Content.all
    fate    <- Fate.all
  }
    test(s"stopped at each step, ${fate.name}: ${layout.name}, ${content.name}") {
      for {
        step       <- Steps.ofQueries
        occurrence <- tried(layout, content, fate, occurrences(step))
      }
        holds(Crash(layout, content, Doom.At(step, occurrence), fate, again = None))
    }

  test("woken at each occurrence of each step of a task, when the part it wrote may long be finished") {
    for {
      step       <- Seq(Step.PartOpened, Step.MidWrite, Step.BeforeSync)
      occurrence <- 1 to occurrences(step)
    }
      holds(Crash(Layout.Staging, Content.Plain, Doom.At(step, occurrence), Fate.Woken, again = None))
  }

  for {
    layout  <- Layout.all
    content <- Content.all if long && MatrixPage.thorough(layout, content)
  }
    test(s"killed at each step, and killed again at each step: ${layout.name}, ${content.name}") {
      for {
        step <- Steps.ofQueries
        next <- Steps.ofQueries
      }
        holds(Crash(layout, content, Doom.At(step, middle(step)), Fate.Killed, Some(Doom.At(next, 1))))
    }

  private lazy val batchOccurrences = BatchCrash.occurrences(Content.Plain)

  // A batch job stages its parts in its own directory, whatever the layout of the sink.
  for (content <- Content.all)
    test(s"a batch job that replaces what is there, killed at each step: ${content.name}") {
      assert(batchOccurrences.keySet === Steps.ofBatchJobs.toSet)
      for {
        step       <- Steps.ofBatchJobs
        occurrence <- 1 to batchOccurrences(step)
      } {
        val crash   = BatchCrash(content, Doom.At(step, occurrence))
        val verdict = crash.verdict()
        assert(verdict.struck, s"$crash was not reached")
        assert(verdict.problems.isEmpty, s"$crash:\n${verdict.problems.mkString("\n")}")
      }
    }

  private val current = "the page in docs is current"

  test(current) {
    val page = MatrixPage.render(occurrences, batchOccurrences)
    if (long && write) {
      assert(proven + current === testNames, "the page is written by a run that has tried everything")
      MatrixPage.write(page)
    }
    val hint = "run with STOPLOG_LONG=1 STOPLOG_WRITE_DOCS=1"
    assert(Files.exists(MatrixPage.file), hint)
    assert(new String(Files.readAllBytes(MatrixPage.file), UTF_8) === page, hint)
  }

  private def tried(layout: Layout, content: Content, fate: Fate, last: Int): Seq[Int] =
    if (long && MatrixPage.thorough(layout, content)) 1 to last
    else if (long) Seq(1, (last + 1) / 2, last).distinct
    else
      fate match {
        case Fate.Killed => Seq(1, last).distinct
        case Fate.Frozen => Seq(1)
        case Fate.Woken  => Seq(last)
      }

  private def middle(step: Step): Int = (occurrences(step) + 1) / 2

  private def holds(crash: Crash): Unit = {
    val verdict = crash.verdict()
    assert(verdict.struck, s"$crash was not reached")
    assert(verdict.problems.isEmpty, s"$crash:\n${verdict.problems.take(12).mkString("\n")}")
  }
}
