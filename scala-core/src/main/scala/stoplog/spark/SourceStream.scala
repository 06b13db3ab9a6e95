// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.charset.StandardCharsets.UTF_8
import java.util.{LinkedHashMap => JLinkedHashMap, Map => JMap, Optional}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReaderFactory}
import org.apache.spark.sql.connector.read.streaming._

import stoplog.error.{Errors, Redaction}
import stoplog.format.read.Vectors
import stoplog.fault.Faults
import stoplog.storage.PutOutcome
import stoplog.source._
import stoplog.source.StateFiles

/** Any split source as Spark's micro-batch stream. Translates, and decides nothing.
  *
  * Spark calls from the one thread of the query, except for the metrics.
  */
private[spark] final class SourceStream[S <: Split](
    source: SplitSource[S, _, InternalRow],
    state: StateFiles,
    limits: ReadLimits,
    tasks: Int,
    vectors: Vectors
) extends MicroBatchStream
    with SupportsAdmissionControl
    with SupportsTriggerAvailableNow
    with ReportsSourceMetrics {
  source.identity.foreach(refuseOther)

  private val driver = new SourceDriver(source, state, faults = Faults.ofThisJvm)
  private var planned: Option[((Long, Long), Array[InputPartition])] = None
  @volatile private var shown: (Outstanding, Map[String, String])    = (Outstanding.none, Map.empty)

  override def initialOffset(): Offset = SourceOffset(0)

  override def deserializeOffset(json: String): Offset = SourceOffset.parse(json)

  override def getDefaultReadLimit: ReadLimit = SparkLimits.of(limits)

  override def latestOffset(): Offset =
    throw new UnsupportedOperationException("Spark asks a source with limits by latestOffset(start, limit)")

  /** The micro-batch before this one is over: its partitions need not stay in memory. */
  override def latestOffset(start: Offset, limit: ReadLimit): Offset = {
    planned = None
    val end = driver.plan(SourceOffset.of(start).splits, SparkLimits.read(limit))
    show()
    SourceOffset(end)
  }

  override def prepareForTriggerAvailableNow(): Unit = driver.fixTarget()

  /** Called twice for each micro-batch. */
  override def planInputPartitions(start: Offset, end: Offset): Array[InputPartition] = {
    val range = (SourceOffset.of(start).splits, SourceOffset.of(end).splits)
    planned match {
      case Some((`range`, partitions)) => partitions
      case _                           =>
        val partitions = SplitPartitions.of(driver.splits(range._1, range._2), source, tasks)
        planned = Some((range, partitions))
        partitions
    }
  }

  override def createReaderFactory(): PartitionReaderFactory = new SplitReaders(source, vectors)

  override def commit(end: Offset): Unit = {
    planned = None
    driver.committed(SourceOffset.of(end).splits)
  }

  override def stop(): Unit = driver.close()

  override def metrics(latestConsumed: Optional[Offset]): JMap[String, String] = {
    val (outstanding, more) = shown
    val all                 = new JLinkedHashMap[String, String]()
    all.put("outstandingSplits", outstanding.splits.toString)
    all.put("outstandingBytes", outstanding.bytes.toString)
    val age = outstanding.oldestMillis.fold(0L)(oldest => (System.currentTimeMillis() - oldest).max(0L))
    all.put("oldestOutstandingMillis", age.toString)
    (more ++ source.metrics).toSeq.sorted.foreach { case (name, value) => all.put(name, value) }
    all
  }

  override def toString: String = Redaction.text(source.describe)

  /** What the checkpoint's splits are of is in a file of its own beside them. A checkpoint that does not say, because it is
    * new or older than this file, belongs to what is asked for now.
    */
  private def refuseOther(asked: String): Unit =
    if (state.putIfAbsent(Identity)(_.write(asked.getBytes(UTF_8))) == PutOutcome.Taken) {
      val in       = state.open(Identity)
      val recorded =
        try new String(in.readAllBytes(), UTF_8)
        finally in.close()
      if (recorded != asked)
        throw Errors.sourcePathChanged(recorded, asked, state.describe(Identity))
    }

  private final val Identity = "identity"

  private def show(): Unit = shown = (driver.outstanding, driver.metrics)
}

/** The splits of one micro-batch, or batch query, as the partitions of its tasks. */
private[spark] object SplitPartitions {
  def of[S <: Split](
      splits: Iterator[S],
      source: SplitSource[S, _, InternalRow],
      tasks: Int
  ): Array[InputPartition] =
    Packing
      .pack(splits, source, tasks, PackingSizes.default)
      .map(SplitBytes.of(_, source.splits): InputPartition)
      .toArray
}
