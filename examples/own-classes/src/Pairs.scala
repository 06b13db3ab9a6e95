// SPDX-License-Identifier: Apache-2.0
package own

import java.io.{InputStream, OutputStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.{Map => JMap, Scanner}

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

import stoplog.format.Encoder
import stoplog.format.read.SimpleRows
import stoplog.source.format.{RecordReader, SimpleStreamFormat}

/** Writes rows of a key and a value, both strings, as lines: `encoder.separator` between them, `=` by default. */
final class PairsEncoder(parameters: JMap[String, String]) extends Encoder {
  private val separator = parameters.getOrDefault("separator", "=").getBytes(UTF_8)

  override def suffix: String = ".pairs"

  override def encode(row: InternalRow, out: OutputStream): Unit = {
    row.getUTF8String(0).writeTo(out)
    out.write(separator)
    row.getUTF8String(1).writeTo(out)
    out.write('\n')
  }
}

/** Reads what [[PairsEncoder]] writes: `format.separator`. */
final class PairsFormat(parameters: JMap[String, String])
    extends SimpleStreamFormat[(String, String)]
    with SimpleRows[(String, String)] {
  private val separator = parameters.getOrDefault("separator", "=")

  override def schema: StructType = StructType.fromDDL("key STRING, value STRING")

  override def row(pair: (String, String)): Row = Row(pair._1, pair._2)

  override def reader(in: InputStream): RecordReader[(String, String)] = new RecordReader[(String, String)] {
    private val lines = new Scanner(in, "UTF-8")
    private var pair  = ("", "")

    override def advance(): Boolean = lines.hasNextLine && {
      val line = lines.nextLine()
      val at   = line.indexOf(separator)
      require(at >= 0, s"a line has no '$separator'")
      pair = (line.take(at), line.drop(at + separator.length))
      true
    }

    override def record: (String, String) = pair
    override def close(): Unit            = lines.close()
  }
}
