// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import java.util.ServiceLoader

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.{DataType, StructType}

import stoplog.compact.Compactor
import stoplog.error.{Errors, StoplogArgumentException}
import stoplog.part.BlockOutput
import stoplog.util.UserObject

/** The settings of a sink with bulk parts. Sent to the executors, and recorded in the spool files of the
  * parts.
  *
  * @param kind     the name of the format
  * @param schema   the written columns
  * @param recorded the description found in a part, if any; the part is resumed with exactly this description
  */
private[stoplog] final case class BulkSink(
    kind: String,
    schema: StructType,
    format: BlockFormat,
    life: PartLife,
    recorded: Option[String] = None
) {
  import BulkSink.UserFormat

  /** A description from which [[BulkSink.of]] recreates the sink in any process. */
  @transient lazy val description: String = recorded.getOrElse {
    val node = FormatDescription.JsonTexts.mapper.createObjectNode()
    node.put("kind", kind).put("schema", schema.json).put("format", format.describe)
    node.toString
  }

  /** Returns the running query's reference to its user-defined format; `None` for other formats. */
  private[bulk] def running: Option[String] = format match {
    case own: UserFormat => own.reference
    case _               => None
  }

  /** The check of values under the settings of the sink; see [[ValueLimits]]. */
  @transient private[bulk] lazy val limits: Option[InternalRow => Unit] = limited.flatMap(_.limits)

  /** The check of values under any settings; see [[ValueLimits]]. */
  @transient private[bulk] lazy val anyLimits: Option[InternalRow => Unit] = limited.flatMap(_.anyLimits)

  /** The sizes of blocks, by what this process has learned of the format. */
  private[bulk] def blockSizes: BlockSizes =
    BlockSizes(format.blockBytes, format.largeBytes, OpenBlock.Ratios.learned(description))

  /** Learns the ratios from a few rows, by writing and discarding a block. Too few rows for the format to
    * measure teach nothing.
    */
  private[bulk] def probe(rows: Iterator[UnsafeRow]): Unit = {
    val nowhere = new NullOutput
    val block   = new OpenBlock(format.block(nowhere, Array.emptyByteArray), Long.MaxValue, Long.MaxValue, 0)
    try {
      rows.foreach(row => block.write(row, row.getSizeInBytes))
      block.finish()
    } finally block.close()
    OpenBlock.Ratios.learn(description, OpenBlock.Ratios.of(block, nowhere.position))
  }

  private def limited: Option[ValueLimits] = format match {
    case limited: ValueLimits => Some(limited)
    case _                    => None
  }
}

private[stoplog] object BulkSink {

  /** Returns the sink of a description, with its format opened.
    *
    * @param running the name of the query for its user-defined format, if any
    *
    * Error: `STOPLOG_BULK_WRITER_UNKNOWN`.
    */
  def of(description: String, running: Option[String]): BulkSink = {
    val node   = FormatDescription.JsonTexts.mapper.readTree(description)
    val schema = DataType.fromJson(node.get("schema").asText()).asInstanceOf[StructType]
    val kind   = node.get("kind").asText()
    val format = formatOf(kind, node.get("format").asText(), running)
    format.open(schema)
    BulkSink(kind, schema, format, PartLife.ManyEpochs, Some(description))
  }

  private def formatOf(kind: String, described: String, running: Option[String]): BlockFormat =
    if (kind == UserFormat.Kind) UserFormat.of(described, running)
    else
      ServiceLoader
        .load(classOf[BulkFormatProvider], getClass.getClassLoader)
        .asScala
        .find(_.kind == kind)
        .getOrElse(throw new IllegalArgumentException(s"there is no bulk format '$kind'"))
        .of(described)

  /** A user-defined block format.
    *
    * Its parts record the class and its settings, never the serialized object: deserialization would let any
    * writer of the directory run code in the job.
    *
    * @param reference the name of the running query for the format; none if a part names the format
    */
  final class UserFormat private (
      format: BlockFormat,
      private[bulk] val reference: Option[String],
      override val describe: String
  ) extends BlockFormat {
    override def suffix: String                                               = format.suffix
    override def open(schema: StructType): Unit                               = format.open(schema)
    override def blockBytes: Long                                             = format.blockBytes
    override def largeBytes: Long                                             = format.largeBytes
    override def mayKeepRows: Boolean                                         = format.mayKeepRows
    override def block(out: BlockOutput, directory: Array[Byte]): BlockWriter = format.block(out, directory)
    override def end(out: BlockOutput, directory: Array[Byte]): Unit          = format.end(out, directory)
    override def compactor: Option[Compactor]                                 = format.compactor
  }

  object UserFormat {

    /** The value of [[BulkSink.kind]] for a user-defined format. */
    val Kind: String = "own"

    /** Returns the format named in the options, by class or as an instance. Error: `STOPLOG_USER_CODE`. */
    def apply(reference: String): UserFormat = {
      val writers = UserObject.load(reference, classOf[BulkWriters], OptionKey)
      val node    =
        FormatDescription.JsonTexts.mapper.createObjectNode().put(ClassName, writers.getClass.getName)
      writers match {
        case format: BlockFormat if UserObject.isInstance(reference) => node.put(Settings, format.describe)
        case _ if UserObject.isInstance(reference)                   => node.put(Instance, true)
        case _                                                       =>
          val parameters = UserObject.parameters(reference)
          if (parameters.nonEmpty) FormatDescription.JsonTexts.put(node, Parameters, parameters)
      }
      new UserFormat(blocks(writers), Some(reference), node.toString)
    }

    /** Returns the format named by a part. If the query's format has the same description, the query's format
      * is used, but as a new object, because the part may have other columns.
      *
      * @param described the part's [[UserFormat.describe]]
      * @param running   the name of the query for its user-defined format, if any
      *
      * Error: `STOPLOG_BULK_WRITER_UNKNOWN`.
      */
    def of(described: String, running: Option[String]): UserFormat =
      running.map(UserFormat(_)).find(_.describe == described).getOrElse(again(described))

    private def again(described: String): UserFormat = {
      val node      = FormatDescription.JsonTexts.mapper.readTree(described)
      val className = node.path(ClassName).asText
      if (node.has(Instance)) throw Errors.bulkWriterUnknown(className, "it was given as an instance", null)
      val settings = Option(node.get(Settings)).map(_.asText)
      try {
        val made =
          if (settings.isEmpty)
            UserObject.ofClass(
              className,
              FormatDescription.JsonTexts.of(node.path(Parameters)),
              classOf[BulkWriters],
              OptionKey
            )
          else UserObject.ofClass(className, classOf[BulkWriters], OptionKey, settings.toSeq: _*)
        new UserFormat(blocks(made), None, described)
      } catch {
        case e: StoplogArgumentException =>
          throw Errors.bulkWriterUnknown(className, e.getMessageParameters.get("why"), e)
      }
    }

    private def blocks(writers: BulkWriters): BlockFormat = writers match {
      case format: BlockFormat        => format
      case factory: BulkWriterFactory => new WholeParts(factory)
      case other                      =>
        throw new IllegalArgumentException(
          s"${other.getClass.getName} is neither a BulkWriterFactory nor a BlockFormat"
        )
    }

    /** Adapts a format without blocks: each part is one block. */
    private final class WholeParts(factory: BulkWriterFactory) extends BlockFormat {

      override def suffix: String                              = factory.suffix
      override def open(schema: StructType): Unit              = factory.open(schema)
      override def describe: String                            = ""
      override def blockBytes: Long                            = Long.MaxValue
      override def end(out: BlockOutput, d: Array[Byte]): Unit = ()

      override def block(out: BlockOutput, directory: Array[Byte]): BlockWriter = new BlockWriter {
        private val start  = out.position
        private val writer = factory.create(out)

        override def write(row: InternalRow): Unit = writer.write(row)
        override def bufferedBytes: Long           = out.position - start + writer.bufferedBytes
        override def close(): Unit                 = writer.close()
        override def finish(): Array[Byte]         = {
          writer.finish()
          Array.emptyByteArray
        }
      }
    }

    private final val OptionKey  = "format"
    private final val ClassName  = "class"
    private final val Settings   = "settings"
    private final val Instance   = "instance"
    private final val Parameters = "parameters"
  }
}

/** The longest possible life of the parts of a sink, as determined by the type of job and rolling policy. */
private[stoplog] sealed trait PartLife extends Product with Serializable
private[stoplog] object PartLife {

  /** A part may stay open at the end of an epoch. */
  case object ManyEpochs extends PartLife

  /** Every part ends with its first epoch: in batch jobs, and under a policy that closes all parts. */
  case object OneEpoch extends PartLife
}

/** Recreates a block format from its description. `java.util.ServiceLoader` finds providers in the jar. */
private[stoplog] trait BulkFormatProvider {

  /** The name of the format. */
  def kind: String

  /** @param described the result of the format's [[BlockFormat.describe]] */
  def of(described: String): BlockFormat
}
