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

/** The settings of a sink that writes bulk parts. They go to the executors, and into the parts' spool files.
  *
  * @param kind     the name of the format
  * @param schema   the columns that are written
  * @param recorded its description, if a part has it: this part goes on with the same text
  */
private[stoplog] final case class BulkSink(
    kind: String,
    schema: StructType,
    format: BulkFormat,
    life: PartLife,
    recorded: Option[String] = None
) {
  import BulkSink.UserFormat

  /** A text from which [[BulkSink.of]] makes it again, in any process. */
  @transient lazy val description: String = recorded.getOrElse {
    val node = FormatDescription.JsonTexts.mapper.createObjectNode()
    node.put("kind", kind).put("schema", schema.json).put("format", format.describe)
    node.toString
  }

  /** The running query's name for its own format, if it has one. */
  private[bulk] def running: Option[String] = format match {
    case own: UserFormat => own.reference
    case _               => None
  }

  /** The ratios of rows to storage; learned in this process, or supposed. */
  private[bulk] def ratios: OpenBlock.Ratios =
    OpenBlock.Ratios.learned(description).getOrElse(OpenBlock.Ratios.unknown)

  private[bulk] def isUnknown: Boolean = OpenBlock.Ratios.learned(description).isEmpty

  /** Learns from a few rows, by a block that is thrown away. Those that are too few for the format teach nothing. */
  private[bulk] def probe(rows: Iterator[UnsafeRow]): Unit = {
    val nowhere = new NullOutput
    val block   = new OpenBlock(format.block(nowhere, Array.emptyByteArray), Long.MaxValue, Long.MaxValue)
    try {
      rows.foreach(row => block.write(row, row.getSizeInBytes))
      block.finish()
    } finally block.close()
    OpenBlock.Ratios.learn(description, OpenBlock.Ratios.of(block, nowhere.position))
  }

  /** The bytes of rows that are worth a first look: enough to learn from, if nothing is known. */
  private[bulk] def firstLook: Long =
    if (isUnknown) blockRawBytes.min(BulkSink.EnoughToLearnBytes) else blockRawBytes

  /** A block of this format has about as many bytes of rows. */
  private[bulk] def blockRawBytes: Long = (format.blockBytes / ratios.block).toLong.max(1)

  /** Whether a block of so many bytes of rows tells how rows shrink: the last few of a part do not, unless nothing else is known. */
  private[bulk] def learnsFrom(rawBytes: Long): Boolean =
    rawBytes > 0 && (isUnknown || rawBytes >= blockRawBytes / BulkSink.LearnShare)

  /** As many bytes of rows in one epoch make about a large block. */
  private[bulk] def largeRawBytes: Long = (format.largeBytes / ratios.encoded).toLong.max(1)

  /** So many bytes of rows tell, in the first epoch of a part that is alone in its task, that it may bring a large block. */
  private[bulk] def firstRawBytes: Long = (largeRawBytes / BulkSink.FirstShare).max(BulkSink.LeastFirstBytes)

  /** So many bytes of rows tell, behind an epoch that brought a large block, that this one may bring one too: 2 MiB of 64. */
  private[bulk] def likelyRawBytes: Long = (largeRawBytes / BulkSink.LikelyShare).max(1)
}

private[stoplog] object BulkSink {
  private final val EnoughToLearnBytes = 1L << 20
  private final val LikelyShare        = 32L
  private final val FirstShare         = 4L
  private final val LeastFirstBytes    = 16L << 20
  private final val LearnShare         = 128L

  /** The format, opened.
    *
    * @param running the query's name for its own format, if it has one
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

  private def formatOf(kind: String, described: String, running: Option[String]): BulkFormat =
    if (kind == UserFormat.Kind) UserFormat.of(described, running)
    else
      ServiceLoader
        .load(classOf[BulkFormatProvider], getClass.getClassLoader)
        .asScala
        .find(_.kind == kind)
        .getOrElse(throw new IllegalArgumentException(s"there is no bulk format '$kind'"))
        .of(described)

  /** A user's own format of blocks.
    *
    * Its parts name its class and its settings. They never hold the object itself: to deserialize it would run code of
    * any writer of the directory in the job.
    *
    * @param reference the running query's name for it; none if a part names it
    */
  final class UserFormat private (
      format: BulkFormat,
      private[bulk] val reference: Option[String],
      override val describe: String
  ) extends BulkFormat {
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

    /** The value of [[BulkSink.kind]] for it. */
    val Kind: String = "own"

    /** The format that the options name: by its class, or as an instance. Error: `STOPLOG_USER_CODE`. */
    def apply(reference: String): UserFormat = {
      val writers = UserObject.load(reference, classOf[BulkWriters], OptionKey)
      val node    =
        FormatDescription.JsonTexts.mapper.createObjectNode().put(ClassName, writers.getClass.getName)
      writers match {
        case format: BulkFormat if UserObject.isInstance(reference) => node.put(Settings, format.describe)
        case _ if UserObject.isInstance(reference)                  => node.put(Instance, true)
        case _                                                      =>
          val parameters = UserObject.parameters(reference)
          if (parameters.nonEmpty) FormatDescription.JsonTexts.put(node, Parameters, parameters)
      }
      new UserFormat(blocks(writers), Some(reference), node.toString)
    }

    /** The format that a part names: the query's, if it describes itself in the same way, but made anew, since the part may
      * have other columns.
      *
      * @param described its [[UserFormat.describe]]
      * @param running   the query's name for its own, if it has one
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

    private def blocks(writers: BulkWriters): BulkFormat = writers match {
      case format: BulkFormat         => format
      case factory: BulkWriterFactory => new WholeParts(factory)
      case other                      =>
        throw new IllegalArgumentException(
          s"${other.getClass.getName} is neither a BulkWriterFactory nor a BulkFormat"
        )
    }

    /** A format without blocks as one whose parts are one block. */
    private final class WholeParts(factory: BulkWriterFactory) extends BulkFormat {

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

    private final val OptionKey  = "bulkWriter"
    private final val ClassName  = "class"
    private final val Settings   = "settings"
    private final val Instance   = "instance"
    private final val Parameters = "parameters"
  }
}

/** The longest life of a part of a sink, as far as its rolling policy tells before it is asked. */
private[stoplog] sealed trait PartLife extends Product with Serializable
private[stoplog] object PartLife {

  /** A part may stay open at the end of an epoch. */
  case object ManyEpochs extends PartLife

  /** Every part ends with the epoch in which it began: in batch jobs, and under a policy that closes all. */
  case object OneEpoch extends PartLife
}

/** A format of blocks that can be made from its own description. `java.util.ServiceLoader` finds those of the jar. */
private[stoplog] trait BulkFormatProvider {

  /** The name of the format. */
  def kind: String

  /** @param described the answer of the format's [[BulkFormat.describe]] */
  def of(described: String): BulkFormat
}
