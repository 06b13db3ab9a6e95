// SPDX-License-Identifier: Apache-2.0
package stoplog

import java.util.{List => JList, Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.SparkSession

import stoplog.compact.PlannedMerge
import stoplog.merge.DirectoryMerges

/** The small files of a directory, as one batch command merges them: see [[FileSink.compactDirectory]].
  *
  * {{{
  * val compaction = FileSink.compactDirectory(spark, "/data/old", Map("compactTo" -> "256m"))
  * compaction.plan().foreach(println) // changes nothing
  * compaction.run()
  * }}}
  */
final class DirectoryCompaction private[stoplog] (merges: DirectoryMerges) {

  /** The merges that [[run]] would make now. Reads, and changes nothing. */
  def plan(): Seq[PlannedMerge] = merges.plan()

  /** Merges, and answers what was merged. What cannot be read stays as it is, with a warning in the log.
    *
    * A run that died is carried on by the next one; of two at once, the older one fails with `STOPLOG_FENCED` and has
    * doubled nothing.
    */
  def run(): Seq[PlannedMerge] = merges.run()

  /** [[plan]] for Java and Python. */
  def planAsList(): JList[PlannedMerge] = plan().asJava

  /** [[run]] for Java and Python. */
  def runAsList(): JList[PlannedMerge] = run().asJava
}

private[stoplog] object DirectoryCompaction {
  def apply(session: SparkSession, path: String, options: JMap[String, String]): DirectoryCompaction =
    new DirectoryCompaction(DirectoryMerges(session, path, options.asScala.toMap))
}
