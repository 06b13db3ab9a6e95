// SPDX-License-Identifier: Apache-2.0
package stoplog.docs

import stoplog.format.bulk.BulkFormatName
import stoplog.format.compress.Compression

/** What each format of the sink can do, and whether the source reads it. A format that comes in has to be told of here. */
object FormatsTable {

  def text: String =
    s"""## Formats
       |
       |Every format on every storage, but one: where nothing can be appended, no rows wait for the next micro-batch, so Parquet and
       |ORC end there with each.
       |
       || `format` | Columns | Between micro-batches | `compression` | Read by [the source](../files/source.md) | Merged by [compaction](../files/compaction.md) |
       ||---|---|---|---|---|---|
       |${(rows ++ bulks :+ own).mkString("\n|")}
       |
       |Which types a format takes is what Spark's own writer of it takes. The source reads whole files (`binaryFile`) and records
       |behind their lengths (`lengthDelimited`) besides.
       |""".stripMargin

  private def rows: Seq[String] =
    Seq("text" -> "one of strings or bytes", "json" -> "all", "csv" -> "flat ones").map {
      case (name, columns) =>
        line(name, columns, "nothing waits", Compression.All.map(_.name), "yes", "one behind the other")
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
    "| [a class of yours](../contributing/extending.md) | its own | its own | its own | by a class of yours | by a class of yours |"

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
