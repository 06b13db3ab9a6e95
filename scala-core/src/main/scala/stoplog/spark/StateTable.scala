// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.nio.file.AccessDeniedException
import java.util.{EnumSet => JEnumSet, Set => JSet}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.{SupportsRead, TableCapability}
import org.apache.spark.sql.connector.read.{LocalScan, Scan, ScanBuilder}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import stoplog.commit.CompactionCommit
import stoplog.error.{Causes, Errors, Redaction, StoplogException}
import stoplog.options.{SparkHadoop, ViewOptions}
import stoplog.place.SinkStorage
import stoplog.storage.FileStore
import stoplog.filesink.StateView

/** A sink's state as a table: what the log says now, read on the driver. */
private[spark] final class StateTable private (asked: ViewOptions) extends SupportsRead {

  override def name(): String =
    Redaction.text(s"stoplog ${asked.path} (${asked.sinkId}, ${ViewOptions.View.values.render(asked.view)})")

  override def schema(): StructType = StateView.schema(asked.view)

  override def capabilities(): JSet[TableCapability] = JEnumSet.of(TableCapability.BATCH_READ)

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = () => scan

  private def scan: Scan = new LocalScan {
    override def readSchema(): StructType   = schema()
    override def description(): String      = name()
    override def rows(): Array[InternalRow] =
      StateView.rows(asked.view, storage(asked.sinkId).log, storage(CompactionCommit.SinkId).log)
  }

  private def storage(sinkId: String) = StateTable.storage(asked.path, sinkId)
}

private[spark] object StateTable {

  /** Error: `STOPLOG_SINK_UNKNOWN` if there is no such path. One to which nothing was written yet has no rows. */
  def apply(asked: ViewOptions): StateTable = {
    val found = storage(asked.path, asked.sinkId)
    if (found.records.newerThan(-1).isEmpty && !exists(found.files))
      throw Errors.sinkUnknown(asked.path, asked.sinkId, there = Nil)
    new StateTable(asked)
  }

  private def storage(path: String, sinkId: String) =
    SinkStorage.reading(path, sinkId, SparkHadoop.configuration)

  // A user who may only read below the path cannot tell whether it is there.
  private def exists(files: FileStore): Boolean =
    try files.stat("").isDefined
    catch { case e: StoplogException if Causes.of(e).exists(_.isInstanceOf[AccessDeniedException]) => true }
}
