// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.spark.sql.types.StructType

import stoplog.part.BlockOutput
import stoplog.compact.Compactor
import stoplog.error.{Errors, StoplogArgumentException}
import stoplog.util.UserObject

/** A user's own format of blocks.
  *
  * Its parts name its class and what it says of its settings. They never hold the object itself: to deserialize it
  * would let whoever can write beside a part run code in the job.
  *
  * @param reference how the query that runs names it; none if a part does
  */
private[stoplog] final class UserFormat private (
    format: BulkFormat,
    private[bulk] val reference: Option[String],
    override val describe: String
) extends BulkFormat {
  override def suffix: String                                               = format.suffix
  override def open(schema: StructType): Unit                               = format.open(schema)
  override def blockBytes: Long                                             = format.blockBytes
  override def mayKeepRows: Boolean                                         = format.mayKeepRows
  override def block(out: BlockOutput, directory: Array[Byte]): BlockWriter = format.block(out, directory)
  override def end(out: BlockOutput, directory: Array[Byte]): Unit          = format.end(out, directory)
  override def compactor: Option[Compactor]                                 = format.compactor
}

private[stoplog] object UserFormat {

  /** The value of [[BulkSink.kind]] for it. */
  val Kind: String = "own"

  /** As the options name it: by its class, or as an instance. Error: `STOPLOG_USER_CODE`. */
  def apply(reference: String): UserFormat = {
    val writers = UserObject.load(reference, classOf[BulkWriters], OptionKey)
    val node    = mapper.createObjectNode().put(ClassName, writers.getClass.getName)
    writers match {
      case format: BulkFormat if UserObject.isInstance(reference) => node.put(Settings, format.describe)
      case _ if UserObject.isInstance(reference)                  => node.put(Instance, true)
      case _                                                      =>
        val parameters = UserObject.parameters(reference)
        if (parameters.nonEmpty)
          parameters.toSeq.sorted.foldLeft(node.putObject(Parameters)) { case (all, (name, value)) =>
            all.put(name, value)
          }
    }
    new UserFormat(blocks(writers), Some(reference), node.toString)
  }

  /** As a part names it. That of the query is taken if it describes itself in the same way, and is made anew, since the
    * part may have other columns.
    *
    * @param described its [[UserFormat.describe]]
    * @param running   how the query names its own, if it has one
    *
    * Error: `STOPLOG_BULK_WRITER_UNKNOWN`.
    */
  def of(described: String, running: Option[String]): UserFormat =
    running.map(UserFormat(_)).find(_.describe == described).getOrElse(again(described))

  private def again(described: String): UserFormat = {
    val node      = mapper.readTree(described)
    val className = node.path(ClassName).asText
    if (node.has(Instance)) throw Errors.bulkWriterUnknown(className, "it was given as an instance", null)
    val settings = Option(node.get(Settings)).map(_.asText)
    try {
      val made =
        if (settings.isEmpty)
          UserObject.ofClass(className, parameters(node), classOf[BulkWriters], OptionKey)
        else UserObject.ofClass(className, classOf[BulkWriters], OptionKey, settings.toSeq: _*)
      new UserFormat(blocks(made), None, described)
    } catch {
      case e: StoplogArgumentException =>
        throw Errors.bulkWriterUnknown(className, e.getMessageParameters.get("why"), e)
    }
  }

  private def parameters(node: JsonNode): Map[String, String] =
    node.path(Parameters).properties.asScala.map(each => each.getKey -> each.getValue.asText).toMap

  private def blocks(writers: BulkWriters): BulkFormat = writers match {
    case format: BulkFormat         => format
    case factory: BulkWriterFactory => new WholeParts(factory)
    case other                      =>
      throw new IllegalArgumentException(
        s"${other.getClass.getName} is neither a BulkWriterFactory nor a BulkFormat"
      )
  }

  private final val OptionKey  = "bulkWriter"
  private final val ClassName  = "class"
  private final val Settings   = "settings"
  private final val Instance   = "instance"
  private final val Parameters = "parameters"

  private val mapper = new ObjectMapper()
}
