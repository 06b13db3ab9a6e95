// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils

/** The columns of readers that take directories `name=value` for them: Spark, pyarrow, DuckDB and pandas alike. */
private[stoplog] object PartitionDiscovery {

  /** The first level of a bucket that is no `name=value`. Spark passes over the files below it, or refuses the whole
    * path when other buckets do have names. A bucket that every reader passes over on purpose has none.
    */
  def unnamedLevel(bucket: String): Option[String] =
    if (bucket.isEmpty || isHidden(bucket)) None else bucket.split('/').find(column(_).isEmpty)

  /** The columns that a bucket names. */
  def columns(bucket: String): Seq[String] = bucket.split('/').toSeq.flatMap(column)

  /** The bucket of rows without a time, given a bucket of rows with one. */
  def ofNull(bucket: String): String =
    if (bucket.isEmpty || unnamedLevel(bucket).isDefined) BucketId.OfNull
    else columns(bucket).map(name => s"$name=${ExternalCatalogUtils.DEFAULT_PARTITION_NAME}").mkString("/")

  private def column(level: String): Option[String] = level.indexOf('=') match {
    case at if at > 0 && at < level.length - 1 => Some(level.take(at))
    case _                                     => None
  }

  private def isHidden(bucket: String): Boolean =
    (bucket.startsWith("_") || bucket.startsWith(".")) && !bucket.takeWhile(_ != '/').contains('=')
}
