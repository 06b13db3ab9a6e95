// SPDX-License-Identifier: Apache-2.0
package stoplog.announce.table

import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils

/** The directories `key=value` of a bucket. */
private[stoplog] object DirectoryKeys {

  /** Returns the values by key. The values are escaped, as in the path. */
  def of(bucket: String): Map[String, String] =
    bucket
      .split("/")
      .map(_.split("=", 2))
      .collect { case Array(key, value) => ExternalCatalogUtils.unescapePathName(key) -> value }
      .toMap

  /** Throws [[Refusal]] if readers of the table would lose a value.
    *
    * @param known the keys whose values the table has or does not need
    */
  def refuseLost(keys: Map[String, String], known: Set[String], bucket: String): Unit = {
    val lost = keys.keySet -- known
    if (lost.nonEmpty)
      throw new Refusal(
        s"the values of ${lost.toVector.sorted.mkString(", ")} are only in the directory $bucket, and the table is not " +
          "partitioned by identity of this column. Add the column to the partitioning of the table, or to derivedKeys if the " +
          "value is computed from other columns"
      )
  }
}
