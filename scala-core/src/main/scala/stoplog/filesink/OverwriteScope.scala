// SPDX-License-Identifier: Apache-2.0
package stoplog.filesink

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.internal.SQLConf.PartitionOverwriteMode
import org.apache.spark.sql.types.StructType

import stoplog.bucket.Bucketing
import stoplog.engine.Scope
import stoplog.error.Errors
import stoplog.options.{OverwriteMode, SinkOptions}

/** The files that an overwrite replaces, by Spark's call, the options of the write, and the session. */
private[filesink] object OverwriteScope {

  /** Spark announces `mode("overwrite")` on a path as a job that replaces everything, also in dynamic mode.
    * For a table with partitions, Spark has already applied the session's mode.
    *
    * Errors: `STOPLOG_INVALID_OPTIONS` for contradictory options, `STOPLOG_PARTITION_CONDITION`.
    */
  def of(requested: Scope, options: SinkOptions, columns: StructType, target: WriteTarget): Scope = {
    val overwrite = options.buckets.overwrite
    val isDynamic = overwrite.mode match {
      case Some(mode)                => mode == OverwriteMode.Dynamic
      case None if isDecided(target) => false
      case None                      => SQLConf.get.partitionOverwriteMode == PartitionOverwriteMode.DYNAMIC
    }
    (requested, overwrite.where) match {
      case (Scope.Whole, Some(_)) if isDynamic => refused(WhereAndDynamic)
      case (Scope.Whole, Some(sql))            =>
        Scope.Where(PartitionConditions.parsed(SparkSession.active, options.output.path, sql, columns))
      case (Scope.Whole, None) if isDynamic && hasPartitions(options)             => dynamic(options)
      case (Scope.Whole, None)                                                    => Scope.Whole
      case (Scope.Dynamic, Some(_))                                               => refused(WhereAndDynamic)
      case (Scope.Dynamic, None) if overwrite.mode.contains(OverwriteMode.Static) => refused(StaticAndDynamic)
      case (Scope.Dynamic, None)                                                  => dynamic(options)
      case (_: Scope.Where, Some(_))                                              => refused(TwoConditions)
      case _                                                                      => requested
    }
  }

  /** Rejects the option on a write that replaces nothing. Error: `STOPLOG_INVALID_OPTIONS`. */
  def refuseCondition(options: SinkOptions): Unit =
    if (options.buckets.overwrite.where.isDefined) refused(NoOverwrite)

  private def isDecided(target: WriteTarget): Boolean = target match {
    case WriteTarget.Table(_, partitions) => partitions.nonEmpty
    case WriteTarget.Path                 => false
  }

  /** Without partitions, Spark's own files are replaced as a whole, too. */
  private def hasPartitions(options: SinkOptions): Boolean = options.buckets.bucketing != Bucketing.BasePath

  /** Rejects directories named after the time of the job: a later job would leave all earlier rows. */
  private def dynamic(options: SinkOptions): Scope = options.buckets.bucketing match {
    case Bucketing.DateTime(_, _, None) => refused(DynamicByTimeOfJob)
    case _                              => Scope.Dynamic
  }

  private def refused(why: String): Nothing = throw Errors.invalidOptions(Seq(why))

  private final val WhereAndDynamic =
    "replaceWhere and dynamic mode (overwritePartitions, partitionOverwriteMode = dynamic as an option or " +
      "in the session) exclude each other: remove replaceWhere, or set partitionOverwriteMode to static."

  private final val StaticAndDynamic =
    "partitionOverwriteMode = 'static' contradicts the call, which replaces the partitions of the rows: " +
      "remove the option."

  private final val DynamicByTimeOfJob =
    "dynamic mode (overwritePartitions, partitionOverwriteMode = dynamic as an option or in the session) " +
      "replaces the directories of the rows, and these directories are named after the time of the job: set " +
      "partitionBy or bucketColumn, or set partitionOverwriteMode to static to replace all files."

  private final val TwoConditions =
    "replaceWhere is a second condition, next to the condition of the call or of the statement: remove " +
      "replaceWhere."

  private final val NoOverwrite =
    "replaceWhere has no effect on a write that replaces nothing: remove it, or set the mode to overwrite."
}
