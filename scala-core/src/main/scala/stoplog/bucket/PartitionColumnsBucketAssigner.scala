// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import java.time.ZoneId
import java.util

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.StructType
import stoplog.bucket.PartitionColumnsBucketAssigner.MostKeptIds

/** Hive-style buckets, `country=DE/day=2026-01-31`. Names and escapes match Spark's file sink; null and the
  * empty string become `__HIVE_DEFAULT_PARTITION__`.
  */
private[stoplog] final class PartitionColumnsBucketAssigner private (
    columns: PartitionColumns,
    texts: Seq[BucketExpression]
) extends BucketAssigner {

  @transient private var values: UnsafeProjection             = _
  @transient private var strings: UnsafeProjection            = _
  @transient private var ids: util.HashMap[UnsafeRow, String] = _
  @transient private var latest: UnsafeRow                    = _
  @transient private var latestId: String                     = _

  override def open(schema: StructType): Unit = {
    values = UnsafeProjection.create(columns.ordinals.map[Expression] { i =>
      BoundReference(i, columns.schema(i).dataType, true)
    })
    strings = BucketExpression.projection(texts)
    ids = new util.HashMap
    latest = null
  }

  // A row with the values of the preceding row costs a comparison of a few bytes, any other row costs a
  // lookup. Only new values are formatted.
  override def bucket(row: InternalRow, context: BucketContext): String = {
    val key = values(row)
    if (latest == null || !latest.equals(key)) {
      latest = key.copy()
      latestId = idOf(row)
    }
    latestId
  }

  private def idOf(row: InternalRow): String = {
    val kept = ids.get(latest)
    if (kept != null) kept
    else {
      if (ids.size >= MostKeptIds) ids.clear()
      val id = spelled(strings(row))
      ids.put(latest, id)
      id
    }
  }

  private def spelled(row: UnsafeRow): String =
    columns.names.zipWithIndex
      .map { case (name, i) =>
        val text = if (row.isNullAt(i)) null else row.getUTF8String(i).toString
        ExternalCatalogUtils.getPartitionPathString(name, text)
      }
      .mkString("/")

  override def toString: String = s"partitionBy(${columns.names.mkString(", ")})"
}

private[stoplog] object PartitionColumnsBucketAssigner {

  private val MostKeptIds = 10000

  /** Creates the assigner with the session's formatting of values as strings.
    *
    * @param zone the time zone for timestamps; `None` for the session's zone
    */
  def bind(
      session: SparkSession,
      columns: PartitionColumns,
      zone: Option[ZoneId] = None
  ): PartitionColumnsBucketAssigner =
    new PartitionColumnsBucketAssigner(
      columns,
      columns.names.map { name =>
        val text = BucketExpression.bind(session, s"`${name.replace("`", "``")}`", columns.schema)
        zone.fold(text)(text.in)
      }
    )
}
