// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import org.scalatest.funsuite.AnyFunSuite

import stoplog.part.RunId
import stoplog.sink._

/** The laws of every sink with a two-phase commit, for which stoplog guarantees exactly-once results.
  *
  * {{{
  * class MySinkSuite extends TwoPhaseSinkLaws[InternalRow, String] { … }
  * }}}
  *
  * @tparam R a row of the sink's input
  * @tparam S a row of the reader's output
  */
abstract class TwoPhaseSinkLaws[R, S] extends AnyFunSuite {

  /** Creates a sink with an empty target. */
  protected def sink(): TwoPhaseSink[R]

  /** Returns a test row; rows with different numbers differ. */
  protected def row(number: Int): R

  /** Returns the reader's form of this row. */
  protected def seen(number: Int): S

  /** Reads all committed rows, including duplicates, without the code of the sink. */
  protected def read(sink: TwoPhaseSink[R]): Seq[S]

  private val run = RunId("laws")

  test("readers see no row before its commit") {
    val under  = sink()
    val writer = under.writer(task(0))
    (1 to 3).foreach(n => writer.write(row(n)))
    writer.prepare()
    writer.close()
    assert(read(under) === Nil)
  }

  test("committed rows appear once, regardless of repeated commits by other processes") {
    val under    = sink()
    val prepared = written(under, task(0), 1 to 3)
    assert(outcomes(under, prepared).forall(_ == CommitOutcome.Committed))
    assert(outcomes(under, prepared).forall(_ == CommitOutcome.AlreadyCommitted))
    assert(sorted(read(under)) === sorted((1 to 3).map(seen)))
  }

  test("committed rows survive writes, prepares and aborts of other tasks") {
    val under = sink()
    outcomes(under, written(under, task(0), 1 to 3))
    val later  = written(under, task(1), 4 to 5)
    val writer = under.writer(task(2))
    writer.write(row(6))
    writer.abort()
    writer.close()
    val committer = under.committer()
    later.foreach(each => committer.stagedOf(each.token).foreach(committer.abort))
    committer.close()
    assert(sorted(read(under)) === sorted((1 to 3).map(seen)))
  }

  test("prepared output is staged until its commit or abort") {
    val under                          = sink()
    val one                            = written(under, task(0), 1 to 1)
    val two                            = written(under, task(1), 2 to 2)
    val committer                      = under.committer()
    def of(prepared: Vector[Prepared]) = prepared.flatMap(each => committer.stagedOf(each.token)).toSet
    def staged                         = committer.staged().map(_.token).toSet
    assert(of(one).subsetOf(staged) && of(two).subsetOf(staged))
    one.foreach(committer.commit)
    of(two).foreach(committer.abort)
    assert(staged.intersect(of(one) ++ of(two)) === Set.empty)
    of(two).foreach(committer.abort) // repeated abort
    committer.close()
    assert(read(under) === Seq(seen(1)))
  }

  test("an aborted output is lost, and its commit reports the loss") {
    val under     = sink()
    val prepared  = written(under, task(0), 1 to 2)
    val committer = under.committer()
    prepared.foreach(each => committer.stagedOf(each.token).foreach(committer.abort))
    assert(prepared.map(committer.commit).forall(_ == CommitOutcome.Lost))
    committer.close()
    assert(read(under) === Nil)
  }

  test("attempts of a task are isolated from each other") {
    val under           = sink()
    val (first, second) = (under.writer(task(0)), under.writer(task(0, attempt = 1)))
    first.write(row(1))
    second.write(row(1))
    val prepared = second.prepare()
    first.abort()
    first.close()
    second.close()
    outcomes(under, prepared)
    assert(read(under) === Seq(seen(1)))
  }

  test("a sink survives serialization to executors") {
    val under = Copied(sink())
    outcomes(under, written(under, task(0), 1 to 1))
    assert(read(under) === Seq(seen(1)))
  }

  private def written(sink: TwoPhaseSink[R], task: WriterTask, numbers: Range): Vector[Prepared] = {
    val writer = sink.writer(task)
    try {
      numbers.foreach(n => writer.write(row(n)))
      writer.prepare()
    } finally writer.close()
  }

  private def outcomes(sink: TwoPhaseSink[R], prepared: Vector[Prepared]): Vector[CommitOutcome] = {
    val committer = sink.committer()
    try prepared.map(committer.commit)
    finally committer.close()
  }

  private def task(partition: Int, attempt: Int = 0): WriterTask =
    WriterTask(run, "main", Some(7L), partition, attempt, stageAttempt = 0)

  private def sorted(rows: Seq[S]): Seq[String] = rows.map(_.toString).sorted
}
