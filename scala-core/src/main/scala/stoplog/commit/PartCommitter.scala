// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.error.StoplogException
import stoplog.part.Pending
import stoplog.sink.{CommitOutcome, Prepared, StagedOutput, TwoPhaseCommitter}
import stoplog.storage.PartStore

/** The target of the parts that the records of a log name: a store of files, or a committer. */
private[stoplog] sealed trait PartCommitter {

  /** The parts that are not visible yet. */
  def output: StagedOutput

  /** Makes the part visible. See [[PartStore.publish]] and [[TwoPhaseCommitter.commit]]. */
  def publish(part: Pending): CommitOutcome

  /** Throws if parts are known to be gone, before a record decides on the parts. */
  def refuseLost(parts: Seq[Pending]): Unit

  /** Returns the target's error for lost parts of a record, if any. See [[TwoPhaseCommitter.lost]]. */
  def lost(gone: Seq[Pending], committed: Int): Option[StoplogException]

  /** Deletes a staged part that no record names (I5). */
  def discard(token: String): Unit
}

private[stoplog] object PartCommitter {

  /** Publishes the parts of a store, by the handles in the record. */
  final class OfStore(override val output: PartStore) extends PartCommitter {
    override def publish(part: Pending): CommitOutcome =
      output.publish(part.handle, part.sizeBytes, part.finishedPath)

    /** A part without bytes may have no file. */
    override def refuseLost(parts: Seq[Pending]): Unit =
      output.refuseLost(parts.filter(_.sizeBytes > 0).map(_.handle.token))

    override def lost(gone: Seq[Pending], committed: Int): Option[StoplogException] = None

    override def discard(token: String): Unit = output.discard(token)
  }

  /** Commits the prepared output of tasks. */
  final class OfCommitter(override val output: TwoPhaseCommitter) extends PartCommitter {
    override def publish(part: Pending): CommitOutcome = output.commit(prepared(part))

    /** A writer need not know the bytes of its output. */
    override def refuseLost(parts: Seq[Pending]): Unit = output.refuseLost(parts.map(_.handle.token))

    override def lost(gone: Seq[Pending], committed: Int): Option[StoplogException] =
      output.lost(gone.map(prepared), committed)

    override def discard(token: String): Unit = output.abort(token)

    private def prepared(part: Pending): Prepared =
      Prepared(part.finishedPath, part.handle.token, part.records, part.sizeBytes)
  }
}
