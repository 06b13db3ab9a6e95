// SPDX-License-Identifier: Apache-2.0
package stoplog.bucket

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils

import stoplog.error.Errors
import stoplog.storage.HiddenNames

/** The path of a bucket below the sink's path: names with `/` between them, or nothing for that path itself. */
private[stoplog] object BucketId {

  /** The bucket of the sink's path itself. */
  val Base: String = ""

  /** The bucket of rows with a null expression, or a null event time by whose pattern directories name no columns.
    *
    * Not Hive's `__HIVE_DEFAULT_PARTITION__`: as the name of a whole directory that would be hidden from
    * every reader, because it begins with `_`. Directories `column=value` use it, after their `column=`.
    */
  val OfNull: String = "null"

  /** The id itself, if it names a directory below the sink's path that readers see.
    *
    * Meant for the first time that an id is seen, not for every row.
    *
    * @throws stoplog.error.StoplogException `STOPLOG_BUCKET_ID` if it is null, absolute or would leave the path, or has an
    *   empty, a hidden, an unprintable or a too long name in it
    */
  def checked(id: String): String = {
    problem(id).foreach(why => throw Errors.bucketId(id, why))
    id
  }

  /** The problem of an id, if it has one. */
  def problem(id: String): Option[String] =
    if (id == null) Some("it is null")
    else if (id.isEmpty) None
    else if (id.startsWith("/")) Some("it is an absolute path")
    else id.split("/", -1).iterator.flatMap(problemOfName).nextOption()

  /** Whether the bucket is this directory, or below it. */
  def isUnder(directory: String, id: String): Boolean = id == directory || id.startsWith(s"$directory/")

  private def problemOfName(name: String): Option[String] = name match {
    case ""                                       => Some("there is an empty name in it")
    case "." | ".."                               => Some(s"there is a '$name' in it")
    case _ if name.exists(Character.isISOControl) => Some("there is a control character in it")
    case _ if bytes(name) > MostBytes             =>
      Some(s"a name in it has ${bytes(name)} bytes, and file systems take $MostBytes")
    case _ if HiddenNames.isHidden(name) => Some(s"readers do not look into a directory called '$name'")
    case _                               => None
  }

  private def bytes(name: String): Int = name.getBytes(UTF_8).length

  private final val MostBytes = 255
}

/** The columns of readers that take directories `name=value` for them: Spark, pyarrow, DuckDB and pandas alike. */
private[stoplog] object PartitionDiscovery {

  /** The first level of a bucket that is no `name=value`. Spark passes over the files below it, or refuses the whole
    * path when other buckets do have names. A bucket that every reader passes over on purpose has none.
    */
  def unnamedLevel(bucket: String): Option[String] =
    if (bucket.isEmpty || HiddenNames.isHidden(bucket.takeWhile(_ != '/'))) None
    else bucket.split('/').find(column(_).isEmpty)

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
}
