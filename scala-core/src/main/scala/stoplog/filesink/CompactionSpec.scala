// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import org.apache.spark.SparkContext

import stoplog.bucket.BucketId
import stoplog.commit._
import stoplog.compact.Compactor
import stoplog.error.Errors
import stoplog.fault.Faults
import stoplog.format.RowCompactor
import stoplog.merge.SparkMerger

import stoplog.options.CompactionOptions
import stoplog.part.{PartNaming, Pending, RunId}
import stoplog.util.UserObject

/** How a sink merges its small parts. */
private[stoplog] final case class CompactionSpec(policy: CompactionPolicy, compactor: Compactor) {

  def of(run: RunId, sink: FileSinkSpec, context: SparkContext): Compaction = new SmallParts(
    run,
    SmallParts
      .Choice(policy, sink.parts.naming, isData(sink.parts.naming, sink.rows.rejects.map(_.directory))),
    new SparkMerger(context, sink.storage, compactor),
    sink.storage.finished,
    Clock.system,
    Faults.ofThisJvm
  )

  /** Rejected rows stay in the files of their epochs. */
  private def isData(naming: PartNaming, rejected: Option[String])(part: Pending): Boolean =
    part.name.endsWith(naming.suffix) &&
      !rejected.exists(BucketId.isUnder(_, part.bucket))
}

private[stoplog] object CompactionSpec {

  /** Errors: `STOPLOG_INVALID_OPTIONS` where files cannot be merged, `STOPLOG_USER_CODE`. */
  def of(choice: CompactionOptions, format: SinkFormat): CompactionSpec = {
    if (!format.mayStayOpen) throw Errors.invalidOptions(Seq(Encrypted))
    val compactor = choice.compactor match {
      case Some(reference) => UserObject.load(reference, classOf[Compactor], "compactor")
      case None            => compactorOf(format)
    }
    CompactionSpec(choice.policy, compactor)
  }

  private def compactorOf(format: SinkFormat): Compactor = format match {
    case SinkFormat.Rows(encoder, compression, _, _) => RowCompactor(encoder, compression)
    case SinkFormat.Synced(synced, _)                => synced.compactor.getOrElse(throw noCompactor)
    case SinkFormat.Blocks(bulk, _, _)               => bulk.format.compactor.getOrElse(throw noCompactor)
  }

  private def noCompactor = Errors.invalidOptions(Seq(CompactionOptions.NoCompactor))

  private final val Encrypted =
    "compaction = 'smallParts' cannot merge encrypted files: what protects a page names its file and its place in " +
      "it. Set it to none."
}
