package stoplog.matrix

import java.io.{ByteArrayInputStream, OutputStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.zip.{GZIPInputStream, GZIPOutputStream}

import stoplog.commit.{Member, RowFormat}

/** What the parts of a job are made of, and how a reader without stoplog reads them. */
sealed abstract class Content(val name: String) extends RowFormat[String] with Product with Serializable {

  /** The lines of a finished part. Fails on a file that is torn. */
  def lines(file: Array[Byte]): Vector[String] = {
    val text = new String(unpacked(file), UTF_8)
    require(text.endsWith("\n"), "the last line is torn")
    val all = text.linesIterator.toVector
    require(all.headOption.contains(Content.Header), "a part begins with its header")
    all.tail
  }

  protected def unpacked(file: Array[Byte]): Array[Byte]

  override def start(out: OutputStream): Unit = encode(Content.Header, out)

  override def encode(row: String, out: OutputStream): Unit = out.write((row + "\n").getBytes(UTF_8))
}

object Content {

  /** Is written once in the life of a part; a second one would be taken for a row that nobody wrote. */
  val Header: String = "header"

  case object Plain extends Content("plain") {
    override def openMember(out: OutputStream): Option[Member]      = None
    override protected def unpacked(file: Array[Byte]): Array[Byte] = file
  }

  /** A gzip member for each epoch: only whole members can be read. */
  case object Gzip extends Content("gzip") {
    override def openMember(out: OutputStream): Option[Member] = Some(new GzipMember(out))

    override protected def unpacked(file: Array[Byte]): Array[Byte] =
      new GZIPInputStream(new ByteArrayInputStream(file)).readAllBytes()
  }

  /** As [[Plain]], but the rows of one bucket are so large that its parts need uploads, which stay open for epochs. */
  case object Heavy extends Content("plain, with rows of 2 MiB") {
    override def openMember(out: OutputStream): Option[Member]      = None
    override protected def unpacked(file: Array[Byte]): Array[Byte] = file

    override def encode(row: String, out: OutputStream): Unit =
      super.encode(if (JobRows.isHeavy(row)) heavy(row) else row, out)

    override def lines(file: Array[Byte]): Vector[String] = super.lines(file).map { line =>
      val row = line.takeWhile(_ != ';')
      require(line == row || line == heavy(row), s"'$row' is torn")
      row
    }

    /** The row again and again, so that no byte of it is like those of another row. */
    private def heavy(row: String): String = s"$row;" * ((2 << 20) / row.length)
  }

  private final class GzipMember(out: OutputStream) extends Member {
    override val stream: GZIPOutputStream = new GZIPOutputStream(out)
    override def finish(): Unit           = stream.finish()
    override def close(): Unit            = ()
  }
}
