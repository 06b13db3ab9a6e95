// SPDX-License-Identifier: Apache-2.0
package stoplog.error

import org.apache.spark.SparkThrowable

/** What is in a failure as a user gets it: Spark wraps those of sinks and sources in its own. */
object Thrown {

  /** The conditions of stoplog's, the outermost first. */
  def conditions(e: Throwable): Seq[String] = Causes
    .of(e)
    .collect { case known: SparkThrowable => known.getCondition }
    .filter(condition => condition != null && condition.startsWith("STOPLOG_"))

  /** All that is said. */
  def text(e: Throwable): String = Causes.of(e).mkString("\n")
}
