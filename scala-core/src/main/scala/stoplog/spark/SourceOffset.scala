// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.sql.connector.read.streaming.Offset

import stoplog.error.Errors

/** How many of its splits a query has read: which these are, the source's own log says. */
private[spark] final case class SourceOffset(splits: Long) extends Offset {
  override def json(): String = s"""{"version":${SourceOffset.Version},"splits":$splits}"""
}

private[spark] object SourceOffset {
  final val Version = 1

  def parse(json: String): SourceOffset = {
    val root    = new ObjectMapper().readTree(json)
    val version = root.path("version").asInt(0)
    if (version > Version) throw Errors.recordTooNew("an offset of the checkpoint", version, Version)
    if (version < 1 || !root.path("splits").isIntegralNumber)
      throw Errors.recordTorn("an offset of the checkpoint", s"$json is no offset of this source")
    SourceOffset(root.path("splits").asLong())
  }

  def of(offset: Offset): SourceOffset = offset match {
    case own: SourceOffset => own
    case other             => parse(other.json())
  }
}
