// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import java.nio.file.Files

import org.apache.spark.paths.SparkPath
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.execution.datasources.{FileFormat, PartitionedFile}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{Row, SparkSession}

import stoplog.fault.Step
import stoplog.format.Comparable
import stoplog.format.bulk.{MappedParts, RandomRows}
import stoplog.storage.SpoolFiles
import stoplog.writing.PartFormat

/** Rows with columns of all types, in a format of Spark's; finished parts are read by Spark's own reader.
  *
  * The first column is the line that tells one row from the others; it also decides what is in them.
  */
final case class TypedContent(written: TypedFormat) extends Content(written.name) {
  import TypedContent.open

  private lazy val session  = SparkSession.active
  private lazy val internal = CatalystTypeConverters.createToCatalystConverter(schema)
  private lazy val external = CatalystTypeConverters.createToScalaConverter(schema)

  // What it makes of a file's rows is one object, which two threads would spoil.
  private val reader = ThreadLocal.withInitial { () =>
    written.reader.buildReaderWithPartitionValues(
      session,
      schema,
      new StructType(),
      schema,
      Nil,
      Map(FileFormat.OPTION_RETURNING_BATCH -> "false"),
      session.sessionState.newHadoopConf()
    )
  }

  private def schema = written.schema

  override def format(spoolFiles: SpoolFiles): PartFormat[String] =
    new MappedParts(written.parts(spoolFiles))((line: String) => made(line))

  override def lines(file: Array[Byte]): Vector[String] = {
    val path = Files.createTempFile("stoplog-typed", written.name)
    try {
      Files.write(path, file)
      val all  = PartitionedFile(InternalRow.empty, SparkPath.fromPath(open(path)), 0, file.length.toLong)
      val rows = reader.get()(all).map(toRow).toVector
      rows.foreach { row =>
        val (found, wanted) = (Comparable.text(row), Comparable.text(toRow(made(row.getString(0)))))
        require(found == wanted, s"a row was changed:\n$found is not\n$wanted")
      }
      rows.map(_.getString(0))
    } finally Files.delete(path)
  }

  override def file(row: String): Array[Byte] = throw new UnsupportedOperationException(row)

  override def without: Set[Step] = written.without

  private def made(line: String): InternalRow = {
    val rest = new RandomRows(line.hashCode.toLong).rows(written.columns, 1).head
    internal(Row.fromSeq(line +: rest.toSeq)).asInstanceOf[InternalRow]
  }

  private def toRow(row: InternalRow): Row = external(row).asInstanceOf[Row]
}

private object TypedContent {
  private def open(path: java.nio.file.Path) = new org.apache.hadoop.fs.Path(path.toUri)
}
