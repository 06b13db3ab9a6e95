// SPDX-License-Identifier: Apache-2.0
package stoplog.announce.catalog

import java.io.FileNotFoundException

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils.{DEFAULT_PARTITION_NAME, unescapePathName}

import stoplog.storage.{HiddenNames, MarkerNames, RestorableFiles}

/** Buckets as partitions in SQL. */
private[catalog] object BucketSpec {

  /** Returns the columns and values of a bucket such as `dt=2026-01-31/hour=23`.
    *
    * Throws `IllegalArgumentException` for any other name.
    */
  def sql(bucket: String): String = bucket
    .split('/')
    .map { level =>
      val end = level.indexOf('=')
      if (end < 1)
        throw new IllegalArgumentException(s"the bucket '$bucket' does not consist of names column=value")
      val column = unescapePathName(level.take(end)).replace("`", "``")
      val value  = level.drop(end + 1)
      s"`$column` = ${if (value == DEFAULT_PARTITION_NAME) "NULL" else literal(unescapePathName(value))}"
    }
    .mkString(", ")

  /** Returns a string literal. All other characters are escaped by number, because Spark also substitutes
    * variables `${…}` in literals.
    */
  def literal(text: String): String = text
    .map { char =>
      if (char.isLetterOrDigit && char < 128 || Plain.contains(char)) char.toString
      else f"\\u${char.toInt}%04x"
    }
    .mkString("'", "", "'")

  private final val Plain = " -_.:/=,+"
}

/** The directories of the buckets of a sink. A hidden file that may become visible again counts as a file: if
  * its replacement is called off, no announcement follows (P-144).
  */
private[catalog] final class BucketDirectories(path: String, configuration: Configuration) {
  private val root  = new Path(path)
  private val files = root.getFileSystem(configuration)

  private lazy val hidden = RestorableFiles.at(path, configuration)

  def location(bucket: String): String = files.makeQualified(at(bucket)).toString

  /** Returns whether readers find no file in the bucket. */
  def isEmpty(bucket: String): Boolean = !isThere(hasFiles(at(bucket)), hidden.isIn(bucket))

  def hasMarker(bucket: String): Boolean = {
    val marker = MarkerNames.path(bucket, 1)
    isThere(files.exists(at(marker)), hidden.placeOf(Seq(marker)).isDefined)
  }

  /** Returns the buckets with this number of names `column=value`. */
  def buckets(depth: Int): Vector[String] =
    (0 until depth).foldLeft(Vector("")) { (parents, _) =>
      for {
        parent <- parents
        child  <- listed(at(parent)) if child.isDirectory && child.getPath.getName.indexOf('=') > 0
      } yield if (parent.isEmpty) child.getPath.getName else s"$parent/${child.getPath.getName}"
    }

  /** A file that was hidden at the first look may have been restored before the second. */
  private def isThere(isVisible: => Boolean, isHidden: => Boolean): Boolean =
    isVisible || isHidden || isVisible

  // Not a child of a path: Hadoop would take a colon for the end of a scheme.
  private def at(bucket: String): Path = if (bucket.isEmpty) root else new Path(s"$root/$bucket")

  /** Reads only the first page of the listing, if this page has a file. */
  private def hasFiles(directory: Path): Boolean =
    try {
      val entries = files.listStatusIterator(directory)
      var isFound = false
      while (!isFound && entries.hasNext) isFound = !HiddenNames.isHidden(entries.next().getPath.getName)
      isFound
    } catch { case _: FileNotFoundException => false }

  private def listed(directory: Path): Vector[FileStatus] =
    try files.listStatus(directory).toVector.filterNot(file => HiddenNames.isHidden(file.getPath.getName))
    catch { case _: FileNotFoundException => Vector.empty }
}
