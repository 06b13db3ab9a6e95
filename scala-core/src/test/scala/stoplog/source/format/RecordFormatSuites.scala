// SPDX-License-Identifier: Apache-2.0
package stoplog.source.format

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataOutputStream, EOFException, InputStream}
import java.net.URI

import stoplog.source.format.LengthPrefix._

class MeasurementFormatSuite extends RecordFormatLaws[Measurement] {
  override def format: RecordFormat[Measurement] = new MeasurementFormat
  override def isSplittable: Boolean             = true
  override def content: Array[Byte]              = Measurements.bytes(40)
}

class StreamFormatAdapterSuite extends RecordFormatLaws[Measurement] {
  override def format: RecordFormat[Measurement] =
    new StreamFormatAdapter(new MeasurementFormat, batchRecords = 3)
  override def isSplittable: Boolean = true
  override def content: Array[Byte]  = Measurements.bytes(40)
}

class SimpleStreamFormatAdapterSuite extends RecordFormatLaws[String] {
  override def format: RecordFormat[String] = new StreamFormatAdapter(new WordsFormat, 7)
  override def isSplittable: Boolean        = false
  override def content: Array[Byte]         = (1 to 60).map(n => s"word$n").mkString(" ").getBytes("UTF-8")
}

/** Three records for each byte: more than there are positions. */
class ManyRecordsAdapterSuite extends RecordFormatLaws[Int] {
  override def format: RecordFormat[Int] = new StreamFormatAdapter(new ThriceFormat, 7)
  override def isSplittable: Boolean     = false
  override def content: Array[Byte]      = (1 to 30).map(_.toByte).toArray
}

class SimpleStreamFormatSuite extends RecordFormatLaws[String] {
  override def format: RecordFormat[String] = new WordsFormat
  override def isSplittable: Boolean        = false
  override def content: Array[Byte]         = (1 to 60).map(n => s"word$n").mkString(" ").getBytes("UTF-8")
}

class VarintDelimitedSuite extends LengthDelimitedLaws(Varint)

class BigEndianDelimitedSuite extends LengthDelimitedLaws(Int32BigEndian)

class LittleEndianDelimitedSuite extends LengthDelimitedLaws(Int32LittleEndian)

abstract class LengthDelimitedLaws(prefix: LengthPrefix) extends RecordFormatLaws[Array[Byte]] {
  override def format: RecordFormat[Array[Byte]] = new LengthDelimited(prefix, maxBytes = 1000)
  override def isSplittable: Boolean             = false
  override def content: Array[Byte] = Delimited.bytes(prefix, (0 until 30).map(n => "x" * (n * 7)))
  override def copied(record: Array[Byte]): Any = new String(record, "UTF-8")

  test("a record truncated in the listing is read if complete now, otherwise reported") {
    val whole = Delimited.bytes(prefix, Seq("ant", "b" * 50))
    for (missing <- Seq(0, 1, 49)) {
      val listed = whole.length - missing.max(1)
      val reader = format match {
        case stream: StreamFormat[Array[Byte]] => stream.reader(input(whole, listed, missing), 0, listed)
        case other                             => fail(s"$other")
      }
      assert(reader.advance())
      if (missing == 0) {
        assert(reader.advance() && copied(reader.record) === "b" * 50)
        assert(!reader.advance())
      } else {
        val error = intercept[EOFException](reader.advance())
        assert(error.getMessage.contains("has 50 bytes, and the file ends in the middle"))
      }
    }
  }

  /** @param listed  the length that the file had when it was listed
    * @param missing so many bytes at its end are not there
    */
  private def input(all: Array[Byte], listed: Int, missing: Int): FileInput = new FileInput {
    override def name: String                  = "f"
    override def location: URI                 = new URI("memory:/f")
    override def bytes: Option[Long]           = Some(listed.toLong)
    override def open(from: Long): InputStream = new ByteArrayInputStream(all.dropRight(missing))
  }
}

object Measurements {
  def bytes(count: Int): Array[Byte] = {
    val bytes = new ByteArrayOutputStream()
    val out   = new DataOutputStream(bytes)
    for (n <- 1 to count) {
      out.writeInt(n)
      out.writeDouble(n / 4.0)
    }
    bytes.toByteArray
  }
}

object Delimited {
  def bytes(prefix: LengthPrefix, records: Seq[String]): Array[Byte] = {
    val bytes = new ByteArrayOutputStream()
    val out   = new DataOutputStream(bytes)
    records.foreach { record =>
      prefix match {
        case Varint =>
          var left = record.length
          while (left >= 0x80) {
            out.writeByte((left & 0x7f) | 0x80)
            left = left >>> 7
          }
          out.writeByte(left)
        case Int32BigEndian    => out.writeInt(record.length)
        case Int32LittleEndian => out.writeInt(Integer.reverseBytes(record.length))
      }
      out.writeBytes(record)
    }
    bytes.toByteArray
  }
}

/** Each byte three times. */
final class ThriceFormat extends SimpleStreamFormat[Int] {
  override def reader(in: InputStream): RecordReader[Int] = new RecordReader[Int] {
    private val bytes  = in.readAllBytes().flatMap(byte => Seq.tabulate(3)(byte * 10 + _)).iterator
    private var number = 0
    override def advance(): Boolean = bytes.hasNext && {
      number = bytes.next()
      true
    }
    override def record: Int   = number
    override def close(): Unit = in.close()
  }
}

/** Words with spaces between them. */
final class WordsFormat extends SimpleStreamFormat[String] {
  override def reader(in: InputStream): RecordReader[String] = new RecordReader[String] {
    private val words               = new java.util.Scanner(in, "UTF-8")
    private var word                = ""
    override def advance(): Boolean = words.hasNext && {
      word = words.next()
      true
    }
    override def record: String = word
    override def close(): Unit  = words.close()
  }
}
