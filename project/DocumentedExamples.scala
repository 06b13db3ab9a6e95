// SPDX-License-Identifier: Apache-2.0
import java.io.File

import sbt._

/** The Scala code of the documentation, as sources. */
object DocumentedExamples {

  /** The examples of the guides for those who extend stoplog: a test of core holds the guides equal to them. */
  def files(root: File): Seq[File] =
    Seq("FolderFiles", "FolderParts", "FolderStorage", "LabelledValues", "NumbersSource", "OnTheHour",
      "OwnFileSystem", "TransactionalFiles").map { name =>
      root / "laws" / "src" / "test" / "scala" / "example" / s"$name.scala"
    }

  /** A source for each page that has other code: each piece sees those before it. */
  def write(docs: File, to: File): Seq[File] = for {
    page <- (docs ** "*.md").get().sortBy(_.getName) if !Guides(page.getName)
    pieces = Piece.findAllMatchIn(IO.read(page)).map(_.group(1)).toVector if pieces.nonEmpty
  } yield {
    val name   = s"Page_${page.getName.stripSuffix(".md").replaceAll("\\W", "_")}"
    val source = to / s"$name.scala"
    val text   = Imports + pieces.zipWithIndex.map { case (piece, number) =>
      val before = (0 until number).map(earlier => s"import $name$earlier._\n").mkString
      s"object $name$number {\n$before$piece}\n"
    }.mkString
    if (!source.exists || IO.read(source) != text) IO.write(source, text)
    source
  }

  private val Guides = Set("own-source.md", "own-sink.md", "extending.md")

  private val Piece = "(?s)```scala\n(.*?)```".r

  private val Imports = Seq(
    "java.io.{BufferedInputStream, DataInputStream}", "java.nio.ByteBuffer", "java.util.{Map => JMap}",
    "scala.concurrent.ExecutionContext.Implicits.global", "scala.util.Using",
    "org.apache.spark.sql.{Dataset, Row}", "org.apache.spark.sql.types._", "stoplog.{FileSink, FileSource}",
    "stoplog.bucket._", "stoplog.cassandra.CassandraSink", "stoplog.compact.{CompactionInput, Compactor}",
    "stoplog.part.BlockOutput", "stoplog.format.read.SimpleRows", "stoplog.jdbc.JdbcSink",
    "stoplog.kafka.KafkaSink", "stoplog.source.format.{FileInput, PositionedReader, StreamFormat}",
    "stoplog.wal.{RowSender, RowTarget, WriteAheadSink}", "users.Given._"
  ).map(name => s"import $name\n").mkString("package documented\n\n", "", "\n")
}
