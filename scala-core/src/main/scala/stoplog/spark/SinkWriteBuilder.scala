// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.spark.sql.connector.write.{LogicalWriteInfo, SupportsTruncate, Write, WriteBuilder}
import org.apache.spark.sql.internal.connector.SupportsStreamingUpdateAsAppend

/** Planning only: Spark may build a write and then not carry it out. */
private[spark] final class SinkWriteBuilder(table: SinkTable, info: LogicalWriteInfo)
    extends SupportsTruncate
    with SupportsStreamingUpdateAsAppend {

  override def truncate(): WriteBuilder = new WriteBuilder {
    override def build(): Write = SinkWrite(table, info, Existing.Replace)
  }

  override def build(): Write = SinkWrite(table, info, Existing.Keep)
}

/** What becomes of the rows that are there already. */
private[spark] sealed trait Existing
private[spark] object Existing {
  case object Keep    extends Existing
  case object Replace extends Existing
}
