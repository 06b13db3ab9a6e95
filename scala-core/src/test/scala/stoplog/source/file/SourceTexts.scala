// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.nio.charset.{Charset, StandardCharsets}

import stoplog.source.{Fetched, SplitReader}

/** Lines as strings. */
object SourceTexts {
  val utf8: Charset = StandardCharsets.UTF_8

  def text(line: Line): String = new String(line.bytes, line.offset, line.length, utf8)

  /** All that the reader finds in these splits. */
  def read(reader: SplitReader[FileSplit, Line], splits: Seq[FileSplit]): Vector[String] = {
    reader.add(splits)
    val found = Vector.newBuilder[String]
    var over  = false
    while (!over) reader.fetch() match {
      case records: Fetched.Records[FileSplit, Line] =>
        while (records.advance()) found += text(records.record)
      case Fetched.Nothing  => ()
      case Fetched.Finished => over = true
    }
    reader.close()
    found.result()
  }
}
