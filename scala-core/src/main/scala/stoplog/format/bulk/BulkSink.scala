// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.sql.types.{DataType, StructType}

/** How a sink writes bulk parts. Goes to the executors, and into the parts' side files.
  *
  * @param kind   which of [[BulkFormats]] it is
  * @param schema the columns that are written
  */
final case class BulkSink(kind: String, schema: StructType, format: BulkFormat, life: PartLife) {

  /** A text from which [[BulkSink.of]] makes it again, in any process. */
  @transient lazy val description: String = {
    val node = BulkSink.mapper.createObjectNode()
    node.put("kind", kind).put("schema", schema.json).put("format", format.describe)
    node.toString
  }

  /** How the query that runs names its own format, if it has one. */
  private[bulk] def running: Option[String] = format match {
    case own: UserFormat => own.reference
    case _               => None
  }
}

object BulkSink {
  private val mapper = new ObjectMapper()

  /** The format, opened.
    *
    * @param running how the query names its own format, if it has one
    *
    * Error: `STOPLOG_BULK_WRITER_UNKNOWN`.
    */
  def of(description: String, running: Option[String]): BulkSink = {
    val node   = mapper.readTree(description)
    val schema = DataType.fromJson(node.get("schema").asText()).asInstanceOf[StructType]
    val kind   = node.get("kind").asText()
    val format = BulkFormats.of(kind, node.get("format").asText(), running)
    format.open(schema)
    BulkSink(kind, schema, format, PartLife.ManyEpochs)
  }
}

/** How long the parts of a sink live, as far as its rolling policy tells before it is asked. */
sealed trait PartLife extends Product with Serializable
object PartLife {

  /** A part may stay open at the end of an epoch. */
  case object ManyEpochs extends PartLife

  /** Every part ends with the epoch in which it began: in batch jobs, and under a policy that closes all. */
  case object OneEpoch extends PartLife
}
