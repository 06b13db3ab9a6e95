// SPDX-License-Identifier: Apache-2.0
package stoplog.preflight

import java.util.concurrent.TimeUnit

import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils

import stoplog.bucket.{BucketId, DateTimeBucketAssigner, PartitionDiscovery}
import stoplog.error.Errors
import stoplog.preflight.Finding.{Ok, Warning}
import stoplog.rolling.{DefaultRollingPolicy, RollingPolicy}
import stoplog.storage.HiddenNames

/** Checks for problems of names that occur although each option is valid. */
private[stoplog] object NameChecks {

  /** Checks the suffix of finished files. Readers derive the compression, and often the format, from the
    * suffix.
    *
    * @param configured  the option `partSuffix`
    * @param derived     the suffix without this option
    * @param compression the suffix of the compression; empty without compression
    */
  def suffix(configured: Option[String], derived: String, compression: String): Finding = configured match {
    case Some(suffix) if !suffix.endsWith(compression) =>
      Warning(
        "partSuffix",
        s"Finished files end with '$suffix' and are compressed. Spark and others detect compression by the " +
          s"suffix '$compression'. Without the suffix, they read compressed bytes as rows.",
        s"Set partSuffix to '$suffix$compression', or remove the option for the default '$derived'."
      )
    case Some(suffix) if suffix.endsWith(HiddenNames.Copying) =>
      Warning(
        "partSuffix",
        s"Finished files end with '$suffix', the suffix of incomplete copies, and Spark skips such files.",
        s"Set another partSuffix, or remove the option for the default '$derived'."
      )
    case Some(suffix) => Ok("partSuffix", s"Finished files end with '$suffix'.")
    case None         => Ok("partSuffix", s"Finished files end with '$derived', the default of the format.")
  }

  /** Checks the buckets of the first rows.
    *
    * @param ids     the buckets
    * @param columns the columns in the files
    * @param problem returns the storage's problem with a bucket, if any
    */
  def buckets(ids: Seq[String], columns: Seq[String], problem: String => Option[String]): Finding = {
    val seen = ids.distinct
    def bad  = seen
      .flatMap(id => BucketId.problem(id).orElse(problem(id)).map(why => Errors.bucketId(id, why)))
      .headOption
    bad.map(Finding.refusal("buckets", _)).orElse(columnTwice(seen, columns)).getOrElse {
      val first = if (ids.sizeIs == 1) "The first row goes" else s"The first ${ids.size} rows go"
      Ok("buckets", s"$first to ${counted(seen.size)}: ${shown(seen)}.")
    }
  }

  /** Returns the columns that readers find in these buckets without options. */
  def readers(ids: Seq[String]): Finding = unnamed(ids.distinct).getOrElse {
    ids.iterator.map(PartitionDiscovery.columns).find(_.nonEmpty) match {
      case Some(columns) =>
        Ok(
          "readers",
          "spark.read, pyarrow, DuckDB and pandas find the directories as columns: " +
            s"${columns.mkString(", ")}."
        )
      case None =>
        Ok("readers", "spark.read, pyarrow, DuckDB and pandas find all files directly under the path.")
    }
  }

  /** Warns of rows that readers would not find, or would read incorrectly.
    *
    * @param columns the columns in the files
    */
  def unreadable(ids: Seq[String], columns: Seq[String]): Option[Warning] =
    unnamed(ids).orElse(columnTwice(ids, columns))

  /** Warns if a directory `name=value`, which most readers treat as a column, duplicates a column in the
    * files.
    *
    * @param columns the columns in the files
    */
  def columnTwice(ids: Seq[String], columns: Seq[String]): Option[Warning] = {
    val named = ids.iterator.flatMap(PartitionDiscovery.columns)
    named.find(name => columns.exists(_.equalsIgnoreCase(name))).map { column =>
      Warning(
        "buckets",
        s"Buckets are called $column=…, which readers read as a column, and the files also have a column " +
          s"$column.",
        s"Set partitionBy to $column, which removes the column from the files, or use another name for " +
          "the directories in bucketBy or bucketFormat."
      )
    }
  }

  /** Checks other sinks that write under the same path.
    *
    * @param content the settings that define the file content: of this sink, and of each other sink by its id
    */
  def neighbours(content: String, others: Map[String, Option[String]]): Finding = {
    val different = others.collect { case (id, Some(other)) if other != content => id }.toSeq.sorted
    if (different.nonEmpty)
      Warning(
        "neighbours",
        s"Under this path there is a log of ${different.mkString(", ")}, with another format or other " +
          "columns. Names never collide, but a reader of the directory finds both kinds of files.",
        "Use another path, unless each kind of files has a separate directory in the path."
      )
    else if (others.isEmpty) Ok("neighbours", "No other sink has a log under this path.")
    else
      Ok(
        "neighbours",
        s"Under this path there is a log of ${others.keys.toSeq.sorted.mkString(", ")}, with the same " +
          "content. Names never collide, because each name contains a run id."
      )
  }

  /** Returns the finding about a checkpoint that the start does not reject.
    *
    * @param checkpoint the user's location, if set
    */
  def checkpoint(checkpoint: Option[String]): Finding = checkpoint match {
    case Some(location) =>
      Ok("checkpoint", s"The checkpoint is at $location, which readers of the sink do not read.")
    case None =>
      Ok("checkpoint", "No checkpoint was passed to this check. Each query needs its own checkpoint.")
  }

  private def unnamed(ids: Seq[String]): Option[Warning] = (for {
    id    <- ids.iterator
    level <- PartitionDiscovery.unnamedLevel(id)
  } yield Warning(
    "readers",
    s"spark.read does not find the files in directories such as '$id' without options, because '$level' is " +
      "not a name=value.",
    if (id == BucketId.OfNull) NameForNull else NamedLayouts
  )).nextOption()

  private def counted(buckets: Int): String = if (buckets == 1) "1 bucket" else s"$buckets buckets"

  private def shown(ids: Seq[String]): String = {
    val some = ids.take(Shown).map(id => if (id.isEmpty) "the path itself" else id)
    (if (ids.sizeIs > Shown) some :+ "…" else some).mkString(", ")
  }

  private val NamedLayouts =
    s"Set bucketFormat to ${DateTimeBucketAssigner.DefaultPattern}, or partitionBy to columns, or bucketBy " +
      "to concat('day=', date(at)); or read with recursiveFileLookup=true."

  private val NameForNull =
    "Let bucketBy return a name=value also for null: concat('day=', coalesce(string(date(at)), " +
      s"'${ExternalCatalogUtils.DEFAULT_PARTITION_NAME}')); or use partitionBy."

  private val Shown = 5

  /** The versions of the libraries in use. */
  object Versions {

    /** @param libraries name and version of each library; the version is empty if unknown
      */
    def of(spark: String, libraries: Seq[(String, String)]): Finding = {
      val all = (("Spark" -> spark) +: libraries)
        .map {
          case (name, "")      => s"$name (unknown version)"
          case (name, version) => s"$name $version"
        }
        .mkString(", ")
      if (Lines.exists(line => spark.startsWith(s"$line."))) Ok("versions", s"$all.")
      else
        Warning(
          "versions",
          s"$all. This release of stoplog is tested with Spark ${Lines.head} to ${Lines.last}.",
          "Use one of these versions, or a release of stoplog that supports this version."
        )
    }

    private val Lines = Seq("4.0", "4.1", "4.2", "4.3")
  }
}

/** The bucket's lifecycle rule for unfinished uploads. Each open part is an unfinished upload.
  *
  * Hadoop's file system cannot read the rule, and most users with write access lack the permission to read
  * the rule.
  */
private[stoplog] object Lifecycle {

  def unknown(policy: RollingPolicy): Finding = {
    val days = Lifecycle.days(policy)
    Finding.Warning(
      "lifecycle",
      "Hadoop cannot read whether a lifecycle rule of the bucket aborts unfinished uploads " +
        "(AbortIncompleteMultipartUpload). An open part is such an upload, and an early abort deletes " +
        "committed rows.",
      s"Set the rule to $days days or more, and longer than any pause of the query; or remove the rule."
    )
  }

  /** Allows a week to notice a stopped query, in addition to the maximum age of an open part. */
  private def days(policy: RollingPolicy): Long = policy match {
    case default: DefaultRollingPolicy =>
      LeastDays + TimeUnit.MILLISECONDS.toDays(default.rolloverIntervalMillis)
    case _ => LeastDays
  }

  private val LeastDays = 7L
}
