// SPDX-License-Identifier: Apache-2.0
package stoplog.python.sink

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.ObjectMapper

import stoplog.python.TaskClause

/** The token in the log for output that user code has prepared:
  * `<version>|<epoch>|<partition>|<metrics>|<data>`. The epoch is `-` in a batch query, and the metrics are a
  * JSON object.
  *
  * @param version the version of the user's token
  * @param data    the user's token, in Base64
  * @param metrics the user's counters of the output
  */
private[sink] final case class PythonToken(
    version: Int,
    epoch: Option[Long],
    partition: Int,
    metrics: Map[String, Long],
    data: String
) {
  def text: String = {
    val counters = PythonToken.mapper.writeValueAsString(metrics.asJava)
    s"$version|${epoch.fold("-")(_.toString)}|$partition|$counters|$data"
  }
}

private[sink] object PythonToken {

  /** Returns `None` if the text is not a token of the log, such as one of user code. */
  def find(text: String): Option[PythonToken] = {
    val counters = text.lastIndexOf('|')
    text.split("\\|", 4) match {
      case Array(version, epoch, partition, _) if counters > 0 =>
        val metrics = text.substring(version.length + epoch.length + partition.length + 3, counters)
        for {
          of     <- version.toIntOption
          number <- partition.toIntOption
          counts <- metricsOf(metrics)
        } yield PythonToken(of, epoch.toLongOption, number, counts, text.substring(counters + 1))
      case _ => None
    }
  }

  def parse(text: String): PythonToken =
    find(text).getOrElse(throw new IllegalArgumentException(s"'$text' is no token of a sink in Python"))

  /** Returns where the outputs were prepared, as a clause. A record has outputs of a single epoch. */
  def where(tokens: Seq[PythonToken]): String =
    tokens.headOption.fold("")(first => TaskClause.of(first.epoch, tokens.map(_.partition)))

  /** Returns the counters in a JSON object. */
  def metricsOf(json: String): Option[Map[String, Long]] = Try {
    mapper.readTree(json).properties.asScala.map(counter => counter.getKey -> counter.getValue.asLong()).toMap
  }.toOption

  private val mapper = new ObjectMapper
}
