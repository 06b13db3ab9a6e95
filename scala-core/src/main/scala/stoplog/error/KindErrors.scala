// SPDX-License-Identifier: Apache-2.0
package stoplog.error

/** The error of a log that belongs to another kind of sink. */
private[stoplog] object KindErrors extends ErrorMaker {

  /** @param found     the kind of the sink that owns the log
    * @param requested the kind of this sink
    */
  def logOfAnotherKind(path: String, sinkId: String, found: String, requested: String): StoplogException =
    failure(
      "STOPLOG_LOG_OF_ANOTHER_KIND",
      "path"   -> path,
      "sinkId" -> sinkId,
      "found"  -> found,
      "asked"  -> requested
    )
}
