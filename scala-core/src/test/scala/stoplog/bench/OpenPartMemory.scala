// SPDX-License-Identifier: Apache-2.0
package stoplog.bench

import java.lang.management.ManagementFactory
import java.nio.file.{Files, Path, Paths}

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, UnsafeProjection}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String

import stoplog.commit._
import stoplog.fault.Faults
import stoplog.format.bulk.{BulkParts, BulkSink, PartLife}
import stoplog.format.parquet.ParquetBulk
import stoplog.part.RunId
import stoplog.plan.{Attempt, EpochPlan}
import stoplog.storage.{PartLayout, SpoolFiles}
import stoplog.storage.local.LocalFileStore
import stoplog.storage.local.{LocalForcing, LocalPartStore}
import stoplog.thread.SharedMemory
import stoplog.writing.{OnBadRow, TaskWriters}

/** What open Parquet parts take of the heap of an executor: while a task writes to all of them, and between epochs.
  *
  * Argument: the file that gets the figures as JSON.
  */
object OpenPartMemory {
  private val schema = StructType.fromDDL("id BIGINT, name STRING, amount DOUBLE, at TIMESTAMP")

  /** Of rows that wait in one process; a sink takes an eighth of the heap. */
  private val LimitBytes = 64L << 20

  def main(arguments: Array[String]): Unit = {
    measured(parts = 10, rowsEach = 10) // loads the classes
    val figures = for {
      parts    <- Seq(100, 1000)
      rowsEach <- Seq(10, 200, 2000)
    } yield measured(parts, rowsEach)
    Json.write(Paths.get(arguments(0)), figures)
  }

  private def measured(parts: Int, rowsEach: Int): Map[String, Any] = {
    val root   = Files.createTempDirectory("stoplog-memory")
    val memory = new SharedMemory(LimitBytes)
    val bulk   = format()
    val raw    = rowsEach.toLong * UnsafeProjection.create(schema)(row(0)).getSizeInBytes
    val before = heapBytes()
    val task   = taskOf(root, bulk, memory)
    for {
      n    <- 0 until rowsEach
      part <- 0 until parts
    } task.write(s"b$part", row(n))
    val during = heapBytes() - before
    val result = task.commit()
    require(result.open.size == parts, s"${result.open.size} of $parts parts are open")
    val after = heapBytes() - before
    task.close()
    println(f"$parts%,5d parts of $rowsEach%,5d rows: ${during / 1024}%,d KiB, then ${after / 1024}%,d KiB")
    Map[String, Any](
      "parts"        -> parts,
      "rowsEach"     -> rowsEach,
      "rawBytesEach" -> raw,
      "duringBytes"  -> during,
      "afterBytes"   -> after,
      "limitBytes"   -> LimitBytes
    )
  }

  private def taskOf(root: Path, bulk: BulkSink, memory: SharedMemory) = {
    val spoolFiles =
      new SpoolFiles(LocalFileStore.ofSink(root.toString, "main", LocalForcing.Process), "main")
    TaskWriters.of(
      EpochPlan(RunId("0"), 0, None, 1, Map.empty, 0).forTask(0, Attempt.First),
      new LocalPartStore(
        root.toString,
        "main",
        PartLayout.Staging("main"),
        LocalForcing.Process,
        Faults.none
      ),
      new BulkParts(bulk, row => row, spoolFiles, OnBadRow.Fail, memory),
      Rolls.never,
      new ManualClock(0),
      spoolFiles,
      suffix = ".parquet",
      maxOpenParts = 10000
    )
  }

  private def format(): BulkSink = {
    val parquet = ParquetBulk(schema, Map.empty, new SQLConf, new Configuration())
    parquet.open(schema)
    BulkSink("parquet", schema, parquet, PartLife.ManyEpochs)
  }

  private def row(n: Int): InternalRow = {
    val name = UTF8String.fromString(s"name-${n % 100000}-$n")
    new GenericInternalRow(Array[Any](n.toLong, name, n * 0.7, 1700000000000000L + n))
  }

  /** Of what is still in use. The serial collector, with which tests run, leaves dead objects at the beginning of the heap
    * where they are, but for each fourth time.
    */
  private def heapBytes(): Long = {
    (1 to 4).foreach(_ => System.gc())
    ManagementFactory.getMemoryMXBean.getHeapMemoryUsage.getUsed
  }
}
