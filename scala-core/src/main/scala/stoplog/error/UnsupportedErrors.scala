// SPDX-License-Identifier: Apache-2.0
package stoplog.error

/** The errors of options and modes that no sink or source can meet. */
private[stoplog] trait UnsupportedErrors extends ErrorMaker {

  /** All problems of one call at once, each a sentence. */
  def invalidOptions(problems: Seq[String]): StoplogArgumentException =
    argument("STOPLOG_INVALID_OPTIONS", listed(problems): _*)

  def bucketFormat(pattern: String, why: String): StoplogArgumentException = invalidOptions(
    Seq(
      s"The pattern $pattern in bucketFormat cannot name a bucket: ${reason(why)}. Use a pattern of " +
        "java.time.format.DateTimeFormatter such as 'dt='yyyy-MM-dd'/hour='HH, with literal text in single quotes."
    )
  )

  def viewUnknown(view: String): StoplogArgumentException = invalidOptions(
    Seq(s"There is no view $view of a sink's state. Set the option view to parts, epochs, open or buckets.")
  )

  def pathMissing(): StoplogArgumentException = missing(
    "path",
    "there is no place to write to or to read from",
    "the option path to a directory, or pass the path to start(…), save(…) or load(…)"
  )

  def logLocation(): StoplogArgumentException = missing(
    "location of the log",
    "the log records the committed epochs, and the options of the write contain neither a location nor the " +
      "checkpoint",
    "the option checkpointLocation on the write itself, or logLocation to a directory that stays the same for " +
      "the life of the query"
  )

  private def missing(what: String, why: String, how: String) =
    argument("STOPLOG_PATH_MISSING", "what" -> what, "why" -> why, "how" -> how)

  /** @param trigger in the form known to users: `continuous` or `real-time` */
  def unsupportedTrigger(trigger: String): StoplogArgumentException = unsupported(
    s"The trigger $trigger",
    "exactly-once files need Spark's micro-batches",
    "trigger(processingTime=…), trigger(availableNow=True) or trigger(once=True)"
  )

  def unsupportedOutputMode(mode: String): StoplogArgumentException = unsupported(
    s"The output mode $mode",
    "a published file never changes, so rows cannot be replaced after the write",
    "outputMode append, or update only if readers expect a newer row next to the older row"
  )

  def asyncProgress(): StoplogArgumentException = unsupported(
    "Spark's asynchronous progress tracking",
    "it skips commits, and a sink that receives a commit late or never can publish a row twice or not at all",
    "a query without the option asyncProgressTrackingEnabled, or set the option to false"
  )

  def distributionUnsupported(why: String): StoplogArgumentException = unsupported(
    "The requested distribution of the rows over the writers",
    why,
    "distribution = none and, if the distribution matters, repartition the DataFrame before the write"
  )

  /** @param what    as the subject of a sentence
    * @param why     a clause
    * @param instead the supported request
    */
  def unsupported(what: String, why: String, instead: String): StoplogArgumentException =
    argument("STOPLOG_UNSUPPORTED", "what" -> what, "why" -> reason(why), "instead" -> instead)
}
