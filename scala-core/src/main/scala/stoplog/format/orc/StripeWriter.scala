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

/** Writes one stripe with a separate orc-core writer.
  *
  * @param before the preceding stripes
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
    // The first row of the next batch passes the previous batch to orc-core, so `rows` does not count this
    // row.
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

  /** Closes the file rather than the writer, which would encode rows that are given up. */
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

  /** Decides where a stripe ends: where orc-core would end the stripe as the only writer in its process.
    *
    * orc-core accepts rows in batches. After some thousands of rows, orc-core compares the memory of the rows
    * with the stripe size. If the memory is far above the stripe size, the comparison is immediate. A more
    * exact limit would make smaller stripes than a batch job.
    *
    * @param rowsPerCheck the number of rows between two comparisons
    * @param checkRatio   the multiple of the stripe size that counts as far above; 0 for never
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

    /** Returns whether orc-core accepted a batch since the last call. */
    def takeBatch(): Boolean = {
      val answer = isTaken
      isTaken = false
      answer
    }

    /** Measures the stripe after it has grown. */
    def look(rows: Long, memoryBytes: Long): Unit = {
      bytes = memoryBytes
      if (rows - checkedRows >= math.min(rowsPerCheck, stripeRows) || isFarBeyond) {
        checkedRows = rows
        isFull = bytes > stripeBytes || rows >= stripeRows
      }
    }

    private def isFarBeyond: Boolean = checkRatio > 0 && bytes > checkRatio * stripeBytes

    // Called by orc-core. Memory is not divided among writers: stripes have the configured size.

    override def checkMemory(previousAllocation: Long, writer: MemoryManager.Callback): Long = {
      isTaken = true
      previousAllocation
    }

    override def addedRow(rows: Int): Unit = isTaken = true

    override def addWriter(path: Path, requestedBytes: Long, writer: MemoryManager.Callback): Unit = ()

    override def removeWriter(path: Path): Unit = ()
  }
}

/** Creates orc-core writers with fixed settings. */
private[orc] final class OrcWriting(val settings: OrcSettings) {
  import OrcWriting._

  private val conf: Configuration = settings.configuration

  private val schema: TypeDescription = OrcUtils.orcTypeDescription(settings.schema)

  /** The options of Spark's writer. */
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

  /** Returns a writer that ends a stripe only when closed.
    *
    * @param file   the target; uses the real stripe size, which determines buffers and padding
    * @param before the column encodings of the preceding stripe; empty for the first stripe
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

  // orc-core requires a path even if the file is passed.
  val NoPath: Path = new Path("file:///part.orc")

  // OrcConf has this name since ORC 2.2.
  private val CheckRatio        = "orc.stripe.size.check.ratio"
  private val CheckRatioDefault = 2.0

  /** The string columns without a dictionary at the end of a stripe, in the form of
    * `orc.column.encoding.direct`.
    *
    * An orc-core writer decides on dictionaries once per file. A writer for only the next stripe would decide
    * again, and fill its memory with dictionaries that are dropped later. Its stripes would be smaller.
    */
  object DirectColumns {

    /** @param encodings of all columns by number, or empty */
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

    // The elements of a list or map have no names. The name of the list or map includes all elements.
    private def texts(column: TypeDescription): Seq[TypeDescription] =
      if (Text(column.getCategory)) Seq(column)
      else Option(column.getChildren).fold(Seq.empty[TypeDescription])(_.asScala.toSeq.flatMap(texts))

    private val Text = Set(Category.STRING, Category.CHAR, Category.VARCHAR)

    private val Direct = Set(ColumnEncoding.Kind.DIRECT, ColumnEncoding.Kind.DIRECT_V2)
  }
}
