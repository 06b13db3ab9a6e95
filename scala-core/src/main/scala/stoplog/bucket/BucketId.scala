// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils

import stoplog.error.Errors
import stoplog.storage.HiddenNames

/** The path of a bucket below the sink's path: names separated by `/`, or the empty string for the sink's
  * path itself.
  */
private[stoplog] object BucketId {

  /** The bucket of the sink's path itself. */
  val Base: String = ""

  /** The bucket of rows with a null expression, or with a null event time if the directories of the pattern
    * name no columns.
    *
    * The name is not Hive's `__HIVE_DEFAULT_PARTITION__`: readers hide directories whose names start with
    * `_`. Directories of the form `column=value` use Hive's name after `column=`.
    */
  val OfNull: String = "null"

  /** Returns the id itself if the id names a directory below the sink's path which is visible to readers.
    *
    * Call this method when an id first occurs, not for every row.
    *
    * @throws stoplog.error.StoplogException `STOPLOG_BUCKET_ID` if the id is null, is absolute, would leave
    *   the path, or contains an empty, hidden, unprintable or overlong name
    */
  def checked(id: String): String = {
    problem(id).foreach(why => throw Errors.bucketId(id, why))
    id
  }

  /** Returns the problem of an id; `None` if the id is valid. */
  def problem(id: String): Option[String] =
    if (id == null) Some("it is null")
    else if (id.isEmpty) None
    else if (id.startsWith("/")) Some("it is an absolute path")
    else id.split("/", -1).iterator.flatMap(problemOfName).nextOption()

  /** Whether the bucket is this directory or below it. */
  def isUnder(directory: String, id: String): Boolean = id == directory || id.startsWith(s"$directory/")

  private def problemOfName(name: String): Option[String] = name match {
    case ""                                       => Some("it contains an empty name")
    case "." | ".."                               => Some(s"it contains '$name'")
    case _ if name.exists(Character.isISOControl) => Some("it contains a control character")
    case _ if bytes(name) > MostBytes             =>
      Some(s"a name in it has ${bytes(name)} bytes, and file systems accept $MostBytes")
    case _ if HiddenNames.isHidden(name) => Some(s"readers skip a directory called '$name'")
    case _                               => None
  }

  private def bytes(name: String): Int = name.getBytes(UTF_8).length

  private final val MostBytes = 255
}

/** The columns that readers (Spark, pyarrow, DuckDB and pandas) derive from directories `name=value`. */
private[stoplog] object PartitionDiscovery {

  /** Returns the first level of a bucket that is not of the form `name=value`. Spark ignores the files below
    * such a level, or rejects the whole path if other buckets have names. Returns `None` for a bucket hidden
    * from every reader.
    */
  def unnamedLevel(bucket: String): Option[String] =
    if (bucket.isEmpty || HiddenNames.isHidden(bucket.takeWhile(_ != '/'))) None
    else bucket.split('/').find(column(_).isEmpty)

  /** Returns the columns named by a bucket. */
  def columns(bucket: String): Seq[String] = bucket.split('/').toSeq.flatMap(column)

  /** Returns the bucket of rows without a time, derived from a bucket of rows with a time. */
  def ofNull(bucket: String): String =
    if (bucket.isEmpty || unnamedLevel(bucket).isDefined) BucketId.OfNull
    else columns(bucket).map(name => s"$name=${ExternalCatalogUtils.DEFAULT_PARTITION_NAME}").mkString("/")

  private def column(level: String): Option[String] = level.indexOf('=') match {
    case at if at > 0 && at < level.length - 1 => Some(level.take(at))
    case _                                     => None
  }
}
