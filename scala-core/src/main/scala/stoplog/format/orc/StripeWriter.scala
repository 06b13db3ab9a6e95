// SPDX-License-Identifier: Apache-2.0
package stoplog.format.orc

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.orc.{MemoryManager, OrcConf, OrcFile, PhysicalWriter, TypeDescription, Writer}
import org.apache.orc.OrcFile.WriterOptions
import org.apache.orc.OrcProto.ColumnEncoding
import org.apache.orc.TypeDescription.Category
import org.apache.orc.mapred.OrcOutputFormat
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.orc.OrcUtils

import stoplog.format.bulk.BlockWriter
import stoplog.part.BlockOutput

/** One stripe, by a writer of its own.
  *
  * @param before the stripes before it
  */
private[orc] final class StripeWriter(out: BlockOutput, before: StripeDirectory, writing: OrcWriting)
    extends BlockWriter {

  private val limit    = writing.limit
  private val file     = new StripeFile(out, writing.options)
  private val writer   = open()
  private val batches  = new RowBatches(writer, writing.settings.schema, writing.settings.batchRows)
  private var rows     = 0L
  private var isClosed = false

  override def write(row: InternalRow): Unit = {
    batches.add(row)
    // The row before the first of a batch makes orc-core take that batch.
    if (limit.takeBatch()) limit.look(rows, writer.estimateMemory())
    rows += 1
  }

  override def bufferedBytes: Long = limit.answer

  override def finish(): Array[Byte] = {
    file.release()
    batches.close()
    isClosed = true
    file.addedTo(before).bytes
  }

  /** Closing the writer instead would encode rows that are given up. */
  override def close(): Unit =
    if (!isClosed) {
      isClosed = true
      file.close()
    }

  private def open(): Writer =
    try writing.writer(file, limit, before.encodings)
    catch {
      case e: Throwable =>
        file.close()
        throw e
    }
}

private[orc] object StripeWriter {

  /** The end of a stripe: there where orc-core would end it, if it were the only writer of its process.
    *
    * orc-core takes rows in batches and compares the memory that they take with the stripe's size after some thousands of
    * them, or at once when they are far beyond it. Stripes ended more exactly would be smaller than those of a batch job.
    *
    * @param rowsPerCheck so many rows are taken between two comparisons
    * @param checkRatio   so many times the size is far beyond it; 0 for never
    */
  final class StripeLimit(
      stripeBytes: Long,
      stripeRows: Long,
      rowsPerCheck: Long,
      checkRatio: Double
  ) extends MemoryManager {

    private var bytes       = 0L
    private var checkedRows = 0L
    private var isFull      = false
    private var isTaken     = false

    /** The number to compare with the size of a stripe. */
    def answer: Long = if (isFull) math.max(bytes, stripeBytes) else math.min(bytes, stripeBytes - 1)

    /** Whether orc-core took a batch since the last call. */
    def takeBatch(): Boolean = {
      val answer = isTaken
      isTaken = false
      answer
    }

    /** Looks at a stripe that grew. */
    def look(rows: Long, memoryBytes: Long): Unit = {
      bytes = memoryBytes
      if (rows - checkedRows >= math.min(rowsPerCheck, stripeRows) || isFarBeyond) {
        checkedRows = rows
        isFull = bytes > stripeBytes || rows >= stripeRows
      }
    }

    private def isFarBeyond: Boolean = checkRatio > 0 && bytes > checkRatio * stripeBytes

    // orc-core calls these. It divides no memory among writers: a stripe is as large here as the settings say.

    override def checkMemory(previousAllocation: Long, writer: MemoryManager.Callback): Long = {
      isTaken = true
      previousAllocation
    }

    override def addedRow(rows: Int): Unit = isTaken = true

    override def addWriter(path: Path, requestedBytes: Long, writer: MemoryManager.Callback): Unit = ()

    override def removeWriter(path: Path): Unit = ()
  }
}

/** orc-core's writers under one set of settings. */
private[orc] final class OrcWriting(val settings: OrcSettings) {
  import OrcWriting._

  private val conf: Configuration = settings.configuration

  private val schema: TypeDescription = OrcUtils.orcTypeDescription(settings.schema)

  /** The options of Spark's own writer. */
  def options: WriterOptions = OrcOutputFormat.buildOptions(conf).setSchema(schema)

  /** The size of a full stripe, in bytes of memory. */
  val stripeBytes: Long = options.getStripeSize

  def limit: StripeWriter.StripeLimit =
    new StripeWriter.StripeLimit(
      stripeBytes,
      OrcConf.STRIPE_ROW_COUNT.getLong(conf),
      OrcConf.ROWS_BETWEEN_CHECKS.getLong(conf),
      conf.getDouble(CheckRatio, CheckRatioDefault)
    )

  /** A writer that never ends a stripe before it is closed.
    *
    * @param file   the target; knows the real size of stripes, which decides on buffers and padding
    * @param before the encodings of the columns of the stripe before it; empty for the first
    */
  def writer(file: PhysicalWriter, memory: MemoryManager, before: Seq[ColumnEncoding]): Writer =
    OrcFile.createWriter(NoPath, goingOn(endless, before).physicalWriter(file).memory(memory))

  private def goingOn(options: WriterOptions, before: Seq[ColumnEncoding]): WriterOptions = {
    val names = Option(options.getDirectEncodingColumns).filter(_.nonEmpty) ++ DirectColumns(schema, before)
    options.directEncodingColumns(names.mkString(","))
  }

  private def endless: WriterOptions = {
    val unlimited = new Configuration(conf)
    OrcConf.STRIPE_ROW_COUNT.setInt(unlimited, Int.MaxValue)
    OrcOutputFormat.buildOptions(unlimited).setSchema(schema).stripeSize(Long.MaxValue).enforceBufferSize()
  }
}

private[orc] object OrcWriting {

  // orc-core asks for a path even where it is given the file.
  val NoPath: Path = new Path("file:///part.orc")

  // OrcConf names it since ORC 2.2.
  private val CheckRatio        = "orc.stripe.size.check.ratio"
  private val CheckRatioDefault = 2.0

  /** The columns of text that ended a stripe without a dictionary, in the form that `orc.column.encoding.direct` takes.
    *
    * orc-core's writer decides on a dictionary once in a file. A writer that has only the next stripe would decide again,
    * and fill its memory with dictionaries that come to nothing, so that its stripes are smaller.
    */
  object DirectColumns {

    /** @param encodings of all columns by their number, or none */
    def apply(schema: TypeDescription, encodings: Seq[ColumnEncoding]): Seq[String] =
      if (encodings.isEmpty) Nil else among(schema, prefix = "", encodings.map(_.getKind))

    private def among(struct: TypeDescription, prefix: String, kinds: Seq[ColumnEncoding.Kind]): Seq[String] =
      struct.getFieldNames.asScala
        .zip(struct.getChildren.asScala)
        .toSeq
        .filter(_._1.forall(isPlain))
        .flatMap {
          case (name, column) if column.getCategory == Category.STRUCT =>
            among(column, s"$prefix$name.", kinds)
          case (name, column) => Option.when(isDirect(texts(column), kinds))(s"$prefix$name")
        }

    // Other characters would end a name in a list of paths.
    private def isPlain(character: Char): Boolean = character != '.' && character != ',' && character > ' '

    private def isDirect(texts: Seq[TypeDescription], kinds: Seq[ColumnEncoding.Kind]): Boolean =
      texts.nonEmpty && texts.map(text => kinds(text.getId)).forall(Direct)

    // A list or a map has no names for what is in it, but stands for all of that.
    private def texts(column: TypeDescription): Seq[TypeDescription] =
      if (Text(column.getCategory)) Seq(column)
      else Option(column.getChildren).fold(Seq.empty[TypeDescription])(_.asScala.toSeq.flatMap(texts))

    private val Text = Set(Category.STRING, Category.CHAR, Category.VARCHAR)

    private val Direct = Set(ColumnEncoding.Kind.DIRECT, ColumnEncoding.Kind.DIRECT_V2)
  }
}
