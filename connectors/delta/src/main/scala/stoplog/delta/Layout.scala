// SPDX-License-Identifier: Apache-2.0
package stoplog.delta

import java.util.Optional

import scala.jdk.CollectionConverters._

import io.delta.kernel.internal.TableConfig
import io.delta.kernel.internal.actions.Metadata
import io.delta.kernel.internal.util.{SchemaUtils, VectorUtils}
import io.delta.kernel.statistics.DataFileStatistics
import io.delta.kernel.types.{DataType, StructType}

/** The columns of a table with their roles.
  *
  * @param properties of the table
  */
private[delta] final class Layout(
    val columns: StructType,
    val partitionColumns: Vector[String],
    properties: Map[String, String]
) {

  def this(metadata: Metadata) = this(
    metadata.getSchema,
    VectorUtils.toJavaList[String](metadata.getPartitionColumns).asScala.toVector,
    metadata.getConfiguration.asScala.toMap
  )

  /** The statistics of the columns for which the table wants statistics. */
  def statistics(footer: ParquetFooter): DataFileStatistics = {
    val limit = TableConfig.DATA_SKIPPING_NUM_INDEXED_COLS.fromMetadata(properties.asJava)
    val found =
      SchemaUtils
        .collectLeafColumns(columns, partitionColumns.toSet.asJava, limit)
        .asScala
        .toVector
        .flatMap(column => footer.statistics(column).map(column -> _))
    new DataFileStatistics(
      footer.rows,
      found.flatMap { case (column, of) => of.min(typeOf(column.getNames)).map(column -> _) }.toMap.asJava,
      found.flatMap { case (column, of) => of.max(typeOf(column.getNames)).map(column -> _) }.toMap.asJava,
      found.map { case (column, of) => column -> Long.box(of.nulls) }.toMap.asJava,
      Optional.empty()
    )
  }

  private def typeOf(names: Array[String]): DataType = names.foldLeft[DataType](columns) {
    case (struct: StructType, name) => struct.get(name).getDataType
    case (other, _)                 => other
  }
}
