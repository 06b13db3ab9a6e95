// SPDX-License-Identifier: Apache-2.0
package stoplog.error

/** The errors of batch jobs. */
private[stoplog] trait JobErrors extends ErrorMaker {

  /** A failure after the job's record was decided. Replaces the cause's advice, which is for queries. */
  def batchDecided(job: String, path: String, cause: Throwable): StoplogException =
    ofBatch("STOPLOG_BATCH_DECIDED", cause, "job" -> job, "path" -> path)

  /** Like [[batchDecided]], if the outcome of the record is unknown. */
  def batchUnknown(job: String, path: String, record: String, cause: Throwable): StoplogException =
    ofBatch("STOPLOG_BATCH_UNKNOWN", cause, "job" -> job, "path" -> path, "record" -> record)

  /** A batch job that was decided, could not be executed, and changed nothing. */
  def batchCalledOff(job: String, path: String, why: String): StoplogException =
    failure("STOPLOG_BATCH_CALLED_OFF", "job" -> job, "path" -> path, "why" -> reason(why))

  /** @param condition as SQL
    * @param why       a clause
    */
  def partitionCondition(path: String, condition: String, why: String): StoplogException =
    failure("STOPLOG_PARTITION_CONDITION", "path" -> path, "condition" -> condition, "why" -> reason(why))

  /** @param bucket the directory of a row that the condition does not select
    */
  def rowOutsideOverwrite(path: String, bucket: String): StoplogException =
    failure("STOPLOG_ROW_OUTSIDE_OVERWRITE", "path" -> path, "bucket" -> bucket)

  /** A partly executed batch job without a log. */
  def batchPartly(target: String, cause: Throwable): StoplogException =
    ofBatch("STOPLOG_BATCH_PARTLY", cause, "target" -> target)

  private def ofBatch(condition: String, cause: Throwable, what: (String, Any)*): StoplogException =
    failure(condition, cause, what :+ ("why" -> reason(Causes.brief(cause))): _*)
}
