// SPDX-License-Identifier: Apache-2.0
package stoplog.docs

import stoplog.format.bulk.BulkFormatName
import stoplog.format.compress.Compression

/** The abilities of each format of the sink, and whether the source reads the format. Each new format needs a row here. */
object FormatsTable {

  def text: String =
    s"""## Formats
       |
       |Every format works on every storage. On storages without append no rows wait for the next micro-batch, so Parquet and
       |ORC parts end with each micro-batch.
       |
       || `format` | Columns | Between micro-batches | `compression` | Read by [the source](../files/source.md) | Unit of [compaction](../files/compaction.md) |
       ||---|---|---|---|---|---|
       |${(rows ++ bulks :+ own).mkString("\n|")}
       |
       |A format supports the types of Spark's writer of the format. The source also reads whole files (`binaryFile`) and
       |length-delimited records (`lengthDelimited`).
       |""".stripMargin

  private def rows: Seq[String] =
    Seq("text" -> "one of strings or bytes", "json" -> "all", "csv" -> "flat columns").map {
      case (name, columns) =>
        line(name, columns, "nothing waits", Compression.All.map(_.name), "yes", "whole files")
    }

  private def bulks: Seq[String] = BulkFormatName.all.map { format =>
    val (columns, waits, read, merged) = format match {
      case BulkFormatName.Parquet      => ("all", "rows of the last row group", "yes", "row groups")
      case BulkFormatName.Orc          => ("all", "rows of the last stripe", "yes", "stripes")
      case BulkFormatName.Avro         => ("all", "nothing waits", "yes", "blocks")
      case BulkFormatName.SequenceFile => ("one, or two of keys and values", "nothing waits", "no", "blocks")
    }
    line(format.word, columns, waits, format.compressions, read, merged)
  }

  private def own: String =
    "| [a class of yours](../contributing/extending.md) | defined by the class | defined by the class | defined by the class | by a custom class | by a custom class |"

  private def line(
      name: String,
      columns: String,
      waits: String,
      compressions: Seq[String],
      read: String,
      merged: String
  ): String =
    s"| `$name` | $columns | $waits | ${compressions.map(word => s"`$word`").mkString(", ")} | $read | $merged |"
}
