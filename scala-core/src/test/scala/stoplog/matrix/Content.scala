// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, OutputStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.zip.{GZIPInputStream, GZIPOutputStream}

import stoplog.writing.OpenPartWriter.RowTimes
import stoplog.commit.{CompactionPolicy, Finish}
import stoplog.fault.Step
import stoplog.format.bulk.LineBlocks
import stoplog.rolling.RollingPolicy
import stoplog.storage.SpoolFiles
import stoplog.writing.{BadRow, Member, PartFormat, RowPartFormat}

/** What the parts of a job are made of, and how a reader without stoplog reads them. */
private[stoplog] abstract class Content(val name: String) extends Product with Serializable {

  /** For one task, or for one part that the driver ends. */
  def format(spoolFiles: SpoolFiles): PartFormat[String]

  /** The lines of a finished part. Fails on a file that is torn. */
  def lines(file: Array[Byte]): Vector[String]

  /** A finished part of one row, as another program writes it. */
  def file(row: String): Array[Byte]

  /** When parts of it are closed. */
  def policy: RollingPolicy = MatrixPolicy

  /** What the policy may know of rows. */
  def eventTimes: RowTimes[String] = RowTimes.NoTimes

  /** The steps that a query never passes whose parts are made of this. */
  def without: Set[Step]

  /** Those that only such a query passes. */
  def besides: Vector[Step] = Vector.empty

  /** How its small parts are merged. */
  def compaction: Option[CompactionPolicy] = None

  /** What a run does with the parts that it finds open. */
  def onRestart: Finish = Finish.KeepOpen

  /** A finished part of these rows. */
  def fileOf(rows: Vector[String]): Array[Byte] = throw new UnsupportedOperationException(
    s"$name is not merged"
  )
}

object Content {

  /** In blocks, which end in some epochs and not in others; the rows in between are kept beside their part. Of three rows, or
    * two large ones, an epoch makes a block of its own.
    */
  case object Blocks extends Content("blocks") {
    override def format(spoolFiles: SpoolFiles): PartFormat[String] =
      LineBlocks.parts(BlockBytes, spoolFiles, largeBytes = BlockBytes / 2)
    override def lines(file: Array[Byte]): Vector[String] = LineBlocks.read(new String(file, UTF_8)).flatten
    override def file(row: String): Array[Byte]           = s"$row\n]0:1 \n".getBytes(UTF_8)
    override def without: Set[Step]                       = Set.empty

    /** Of five rows. */
    private val BlockBytes = 200L
  }

  case object Plain extends RowContent("plain") {
    override def openMember(out: OutputStream): Option[Member]      = None
    override protected def unpacked(file: Array[Byte]): Array[Byte] = file
  }

  /** As [[Plain]], and small parts are merged. */
  case object Compacted extends RowContent("plain, small parts merged") {
    override def besides: Vector[Step]                              = Step.all.filter(Steps.compacting)
    override def openMember(out: OutputStream): Option[Member]      = None
    override protected def unpacked(file: Array[Byte]): Array[Byte] = file

    /** Of two or three parts each. */
    override def compaction: Option[CompactionPolicy] =
      Some(CompactionPolicy(smallerThanBytes = 300, targetBytes = 600, afterEpochs = 1, minFiles = 2))

    override def fileOf(rows: Vector[String]): Array[Byte] = {
      val out = new ByteArrayOutputStream()
      start(out)
      rows.foreach(encode(_, out))
      out.toByteArray
    }
  }

  /** As [[Blocks]], with as few rows in a block, which is too large for one request. */
  case object HeavyBlocks extends Content("blocks, with rows of 2 MiB") {
    override def format(spoolFiles: SpoolFiles): PartFormat[String] =
      LineBlocks.parts(BlockBytes, spoolFiles, HeavyRows.grown(_), largeBytes = BlockBytes / 2)
    override def lines(file: Array[Byte]): Vector[String] =
      LineBlocks.read(new String(file, UTF_8)).flatten.map(HeavyRows.shrunk)
    override def file(row: String): Array[Byte] = Blocks.file(row)
    override def without: Set[Step]             = Blocks.without

    private val BlockBytes = 5L * HeavyRows.Bytes
  }

  /** A gzip member for each epoch: only whole members can be read. */
  case object Gzip extends RowContent("gzip") {
    override def openMember(out: OutputStream): Option[Member] = Some(new GzipMember(out))

    override protected def unpacked(file: Array[Byte]): Array[Byte] =
      new GZIPInputStream(new ByteArrayInputStream(file)).readAllBytes()
  }

  /** As [[Plain]], but the rows of one bucket are so large that its parts need uploads, which stay open for epochs. */
  case object Heavy extends RowContent("plain, with rows of 2 MiB") {
    override def openMember(out: OutputStream): Option[Member]      = None
    override protected def unpacked(file: Array[Byte]): Array[Byte] = file

    override def encode(row: String, out: OutputStream): Unit =
      super.encode(HeavyRows.grown(row), out)

    override def lines(file: Array[Byte]): Vector[String] = super.lines(file).map(HeavyRows.shrunk)
  }

  /** As [[Plain]], but every fourth row cannot be written, and is put aside. */
  case object Refusing extends RowContent("plain, with rows that are refused") {
    override def openMember(out: OutputStream): Option[Member]      = None
    override protected def unpacked(file: Array[Byte]): Array[Byte] = file

    override def encode(row: String, out: OutputStream): Unit =
      if (isBad(row)) throw new BadRow(new IllegalArgumentException(row)) else super.encode(row, out)

    /** None in the epoch that only tidies up: a part that was opened for a bad row stays until the next sweep. */
    private def isBad(row: String): Boolean =
      row.hashCode % 4 == 0 && !row.startsWith(s"epoch ${JobRows.Epochs} ")
  }

  /** The same in a sink whose runs finish what earlier ones have left open. */
  final case class FinishedAtRestart(parts: Content)
      extends Content(s"${parts.name}, finished at a restart") {
    override def format(spoolFiles: SpoolFiles): PartFormat[String] = parts.format(spoolFiles)
    override def lines(file: Array[Byte]): Vector[String]           = parts.lines(file)
    override def file(row: String): Array[Byte]                     = parts.file(row)
    override def without: Set[Step]                                 = parts.without
    override def onRestart: Finish                                  = Finish.PublishOpen
  }

  /** The same in parts that are closed by event times: no part has a row that is too far behind its first one. */
  final case class ByEventTime(parts: Content) extends Content(s"${parts.name}, closed by event times") {
    override def format(spoolFiles: SpoolFiles): PartFormat[String] = parts.format(spoolFiles)
    override def file(row: String): Array[Byte]                     = parts.file(row)
    override def without: Set[Step]                                 = parts.without
    override def policy: RollingPolicy                              = EventTimePolicy
    override def eventTimes: RowTimes[String]                       = MatrixTimes

    override def lines(file: Array[Byte]): Vector[String] = {
      val rows  = parts.lines(file)
      val times = rows.map(MatrixTimes.millis)
      require(times.forall(_ - times.head < EventTimePolicy.IntervalMillis), s"it should end before: $rows")
      rows
    }
  }

  private final class GzipMember(out: OutputStream) extends Member {
    override val stream: GZIPOutputStream = new GZIPOutputStream(out)
    override def finish(): Unit           = stream.finish()
    override def close(): Unit            = ()
  }
}

/** Row by row, behind a header: nothing is kept beside a part. */
sealed abstract class RowContent(name: String) extends Content(name) with RowPartFormat[String] {
  override def format(spoolFiles: SpoolFiles): PartFormat[String] = this
  override def without: Set[Step]                                 = Steps.ofBlocks

  override def lines(file: Array[Byte]): Vector[String] = {
    val text = new String(unpacked(file), UTF_8)
    require(text.endsWith("\n"), "the last line is torn")
    val all = text.linesIterator.toVector
    require(all.headOption.contains(RowContent.Header), "a part begins with its header")
    all.tail
  }

  override def file(row: String): Array[Byte] = {
    val out    = new ByteArrayOutputStream()
    val member = openMember(out)
    val stream = member.fold[OutputStream](out)(_.stream)
    start(stream)
    encode(row, stream)
    member.foreach(_.finish())
    out.toByteArray
  }

  protected def unpacked(file: Array[Byte]): Array[Byte]

  override def start(out: OutputStream): Unit = encode(RowContent.Header, out)

  override def encode(row: String, out: OutputStream): Unit = out.write((row + "\n").getBytes(UTF_8))
}

private object RowContent {

  /** Is written once in the life of a part; a second one would be taken for a row that nobody wrote. */
  val Header: String = "header"
}
