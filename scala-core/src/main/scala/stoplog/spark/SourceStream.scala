// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.util.{LinkedHashMap => JLinkedHashMap, Map => JMap, Optional}

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReaderFactory}
import org.apache.spark.sql.connector.read.streaming._
import org.apache.spark.sql.internal.SQLConf

import stoplog.error.{Errors, Log}
import stoplog.format.read.SparkBlocks.Vectors
import stoplog.source._

/** Adapts any split source to Spark's micro-batch stream. Only translates calls.
  *
  * Spark calls from the query's single thread, except for metrics. With asynchronous progress tracking, Spark
  * commits on another thread while the next micro-batch is planned.
  *
  * Spark reports the commit of a micro-batch when it plans the next micro-batch, and never reports the last
  * commit. The stream finds this commit in the checkpoint: when Spark collects the metrics of the last
  * micro-batch of a query with the trigger `availableNow`, and when the query stops.
  *
  * @param recorded returns the position of this source at the end of the last micro-batch that the checkpoint
  *                 names as committed
  */
private[spark] final class SourceStream[S <: Split](
    source: SplitSource[S, _, InternalRow],
    state: StateFiles,
    limits: ReadLimits,
    tasks: Int,
    vectors: Vectors,
    recorded: () => Option[String] = () => None
) extends MicroBatchStream
    with SupportsAdmissionControl
    with SupportsTriggerAvailableNow
    with ReportsSourceMetrics {
  import SourceStream.{SourceOffset, SparkLimits}

  source.identity.foreach(SourceDriver.refuseOther(state, _))

  private val driver =
    SourceDriver.ofQuery(source, state, SQLConf.get.minBatchesToRetain) // the number of batches kept by Spark
  private var planned: Option[((Long, Long), Array[InputPartition])] = None
  private var lastEnd                                                = 0L
  @volatile private var isFinite                                     = false
  @volatile private var shown: (Outstanding, Map[String, String])    = (Outstanding.none, Map.empty)

  override def initialOffset(): Offset = SourceOffset(0)

  override def deserializeOffset(json: String): Offset = SourceOffset.parse(json)

  override def getDefaultReadLimit: ReadLimit = SparkLimits.of(limits)

  override def latestOffset(): Offset =
    throw new UnsupportedOperationException("Spark must call latestOffset(start, limit) of this source")

  /** Plans the next micro-batch. Releases the partitions of the preceding micro-batch from memory. */
  override def latestOffset(start: Offset, limit: ReadLimit): Offset = called {
    planned = None
    val end = driver.plan(SourceOffset.of(start).splits, SparkLimits.read(limit))
    lastEnd = end
    show()
    SourceOffset(end)
  }

  override def prepareForTriggerAvailableNow(): Unit = called {
    isFinite = true
    driver.fixTarget()
  }

  /** Called twice for each micro-batch. */
  override def planInputPartitions(start: Offset, end: Offset): Array[InputPartition] = called {
    val range = (SourceOffset.of(start).splits, SourceOffset.of(end).splits)
    lastEnd = range._2
    planned match {
      case Some((`range`, partitions)) => partitions
      case _                           =>
        val partitions = SourceScan.SplitBytes.pack(driver.splits(range._1, range._2), source, tasks)
        planned = Some((range, partitions))
        partitions
    }
  }

  override def createReaderFactory(): PartitionReaderFactory = new SourceScan.SplitReaders(source, vectors)

  override def commit(end: Offset): Unit = called {
    planned = None
    driver.committed(SourceOffset.of(end).splits)
  }

  override def stop(): Unit = synchronized {
    try commitRecorded()
    finally {
      RunGauges.hide(this)
      driver.close()
    }
  }

  override def metrics(latestConsumed: Optional[Offset]): JMap[String, String] = {
    if (isFinite && shown._1.splits == 0) commitRecorded()
    val all = new JLinkedHashMap[String, String]()
    figures.foreach { case (name, value) => all.put(name, value) }
    all
  }

  override def toString: String = SourceScan.nameOf(source)

  private def called[A](call: => A): A = OnQueryThread(synchronized(call))

  /** Handles the commit of the last planned micro-batch, if the checkpoint names the micro-batch. A position
    * of another micro-batch is not this commit.
    */
  private def commitRecorded(): Unit = synchronized {
    if (lastEnd > driver.committedTo)
      Log.tolerating(s"The files of the last micro-batch of $this are cleaned at the next start") {
        if (recorded().map(SourceOffset.parse(_).splits).contains(lastEnd)) {
          driver.committed(lastEnd)
          show()
        }
      }
  }

  private def show(): Unit = {
    shown = (driver.outstanding, driver.metrics)
    RunGauges.show(this, "source", toString)(() =>
      figures.flatMap { case (name, value) => value.toLongOption.map(name -> _) }
    )
  }

  private def figures: Seq[(String, String)] = {
    val (outstanding, more) = shown
    val age = outstanding.oldestMillis.fold(0L)(oldest => (System.currentTimeMillis() - oldest).max(0L))
    Seq(
      "outstandingSplits"       -> outstanding.splits.toString,
      "outstandingBytes"        -> outstanding.bytes.toString,
      "oldestOutstandingMillis" -> age.toString
    ) ++ (more ++ source.metrics).toSeq.sorted
  }
}

private[spark] object SourceStream {

  /** Converts limits to and from Spark's types. Spark passes the declared limits, or none. */
  object SparkLimits {

    def of(limits: ReadLimits): ReadLimit = {
      val all = limits.splits.map(n => ReadLimit.maxFiles(n.min(Int.MaxValue.toLong).toInt)) ++
        limits.bytes.map(ReadLimit.maxBytes) ++ limits.records.map(ReadLimit.maxRows)
      all.toArray match {
        case Array()    => ReadLimit.allAvailable()
        case Array(one) => one
        case several    => ReadLimit.compositeLimit(several)
      }
    }

    def read(limit: ReadLimit): ReadLimits = limit match {
      case all: CompositeReadLimit => all.getReadLimits.map(read).foldLeft(ReadLimits.none)(_ and _)
      case files: ReadMaxFiles     => ReadLimits.none.copy(splits = Some(files.maxFiles().toLong))
      case bytes: ReadMaxBytes     => ReadLimits.none.copy(bytes = Some(bytes.maxBytes()))
      case rows: ReadMaxRows       => ReadLimits.none.copy(records = Some(rows.maxRows()))
      case _                       => ReadLimits.none
    }
  }

  /** The number of splits read by a query. The source's own log contains the splits. */
  final case class SourceOffset(splits: Long) extends Offset {
    override def json(): String = s"""{"version":${SourceOffset.Version},"splits":$splits}"""
  }

  object SourceOffset {
    final val Version = 1

    def parse(json: String): SourceOffset = {
      val root    = new ObjectMapper().readTree(json)
      val version = root.path("version").asInt(0)
      if (version > Version) throw Errors.recordTooNew("an offset of the checkpoint", version, Version)
      if (version < 1 || !root.path("splits").isIntegralNumber)
        throw Errors.recordTorn("an offset of the checkpoint", s"$json is not an offset of this source")
      SourceOffset(root.path("splits").asLong())
    }

    def of(offset: Offset): SourceOffset = offset match {
      case own: SourceOffset => own
      case other             => parse(other.json())
    }
  }
}
