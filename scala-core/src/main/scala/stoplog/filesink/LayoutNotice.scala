// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import stoplog.bucket.{Bucketing, DateTimeBucketAssigner}
import stoplog.commit.TaskResult
import stoplog.error.Log
import stoplog.preflight.NameChecks

/** Says, once in a run, that readers would not find the rows of its buckets, or not as they were written.
  *
  * @param name    of the sink
  * @param columns that are in the files
  */
private[stoplog] final class LayoutNotice(name: String, columns: Seq[String]) {
  @volatile private var said = false

  /** @param buckets that rows go to */
  def look(buckets: Iterable[String]): Unit = synchronized {
    if (!said)
      NameChecks.unreadable(buckets.toSeq.distinct, columns).foreach { warning =>
        said = true
        Log.warn(s"$name: ${warning.what} ${warning.now}")
      }
  }

  /** Looks at the buckets that tasks have written to. Once the notice was given, an epoch pays nothing for it. */
  def written(results: Seq[TaskResult]): Unit =
    if (!said)
      look(
        results.iterator
          .flatMap(task => task.closed.iterator.map(_.bucket) ++ task.open.iterator.map(_.bucket))
          .toSet
      )
}

private[stoplog] object LayoutNotice {

  /** Of a sink whose name and files these are. It has looked at what the pattern of the buckets alone tells. */
  def of(name: String, sink: FileSinkSpec, bucketing: Bucketing): LayoutNotice = {
    val notice =
      new LayoutNotice(name, FileSinkSpec.dataColumns(bucketing, sink.schema).schema.fieldNames.toSeq)
    sink.rows.assigner match {
      case dated: DateTimeBucketAssigner => notice.look(Seq(dated.bucketAt(System.currentTimeMillis())))
      case _                             => ()
    }
    notice
  }
}
