// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import java.time.ZoneId
import java.util

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

import stoplog.bucket.PartitionColumnsBucketAssigner.MostKeptIds

/** Hive-style buckets, `country=DE/day=2026-01-31`. Names and escapes match Spark's file sink; null becomes
  * `__HIVE_DEFAULT_PARTITION__`. A value whose name readers take for another value is rejected, such as the
  * empty string, which readers take for null.
  *
  * @param zone of timestamps
  */
private[stoplog] final class PartitionColumnsBucketAssigner private (
    columns: PartitionColumns,
    texts: Seq[BucketExpression],
    zone: ZoneId
) extends BucketAssigner {

  @transient private var values: UnsafeProjection             = _
  @transient private var strings: UnsafeProjection            = _
  @transient private var readers: DirectoryValues             = _
  @transient private var ids: util.HashMap[UnsafeRow, String] = _
  @transient private var latest: UnsafeRow                    = _
  @transient private var latestId: String                     = _

  override def open(schema: StructType): Unit = {
    values = UnsafeProjection.create(columns.ordinals.map[Expression] { i =>
      BoundReference(i, columns.schema(i).dataType, true)
    })
    strings = BucketExpression.projection(texts)
    readers = new DirectoryValues(columns, zone)
    ids = new util.HashMap
    latest = null
  }

  // A row with the values of the preceding row costs a comparison of a few bytes, any other row costs a
  // lookup. Only new values are formatted, and allocate memory.
  override def bucket(row: InternalRow, context: BucketContext): String = {
    val key = values(row)
    if (latest == null || !latest.equals(key)) {
      latestId = idOf(row, key)
      if (latest == null) latest = key.copy() else latest.copyFrom(key)
    }
    latestId
  }

  private def idOf(row: InternalRow, key: UnsafeRow): String = {
    val kept = ids.get(key)
    if (kept != null) kept
    else {
      if (ids.size >= MostKeptIds) ids.clear()
      val id = spelled(strings(row))
      readers.refuseOthers(id, key)
      ids.put(key.copy(), id)
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
      },
      zone.getOrElse(DateTimeUtils.getZoneId(session.conf.get(SQLConf.SESSION_LOCAL_TIMEZONE.key)))
    )
}
