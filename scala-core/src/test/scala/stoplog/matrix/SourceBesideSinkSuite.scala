// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import java.util.zip.GZIPInputStream

import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun
import stoplog.fault.Faults
import stoplog.laws.MemoryState
import stoplog.source.file._
import stoplog.source.{ReadLimits, SourceDriver}
import stoplog.storage.hadoop.{HadoopFiles, HadoopSettings, HadoopSourceFiles, Renaming}
import stoplog.storage.hdfs.HdfsUnderTest
import stoplog.storage.local.LocalSourceFiles
import stoplog.storage.{SourceFile, SourceFiles}

/** What the sink writes the source reads once, while it is written: the source lists and reads at every step of the
  * sink's protocol, and so sees all that is ever on the storage.
  */
class SourceBesideSinkSuite extends AnyFunSuite {

  for {
    (storage, layout, content) <- Seq(
      (Storage.Local, Layout.Staging, Content.Plain),
      (Storage.Local, Layout.Staging, Content.Gzip),
      (Storage.Local, Layout.InBucket, Content.Plain),
      (Storage.Local, Layout.InBucket, Content.Gzip),
      (Storage.Local, Layout.InBucket, Content.Refusing),
      (Storage.Hdfs, Layout.Staging, Content.Plain),
      (Storage.Hdfs, Layout.InBucket, Content.Plain),
      (Storage.S3, Layout.Staging, Content.Gzip)
    )
    if Cells.inLongRun || storage == Storage.Local || (storage, layout) == ((Storage.Hdfs, Layout.InBucket))
  }
    test(
      s"a source reads each row once during sink writes: ${storage.name}, ${layout.name}, ${content.name}",
      LongRun.unless(storage == Storage.Local): _*
    ) {
      val place = storage.newPlace(layout, content)
      try {
        place.leaveOrphans(2)
        val beside = new Spooled(place)
        val sink   = new Runs(
          place,
          Crash.clock(),
          new ServerFault(_ => true)(beside.read()),
          Checkpoint.empty,
          ProcessRun.planned
        )
        sink.go()
        assert(sink.failure === None)
        beside.read()
        beside.read()
        val shown =
          place.files().filter(Oracle.isVisible).flatMap(file => place.content.lines(place.read(file)))
        assert(shown.nonEmpty)
        assert((beside.rows.diff(shown), shown.diff(beside.rows)) === ((Vector.empty, Vector.empty)))
        assert(beside.batches > 3, "it has read while the sink wrote")
      } finally place.remove()
    }

  /** A query that reads what the sink's tasks write. */
  private final class Spooled(place: Place) {
    private val source =
      TextLines.source(filesOf(place), if (place.content == Content.Gzip) Gunzip else Decoding.None)
    private val driver   = new SourceDriver[FileSplit](source, new MemoryState, faults = Faults.none)
    private var position = 0L

    var rows: Vector[String] = Vector.empty
    var batches: Int         = 0

    def read(): Unit = synchronized {
      val end = driver.plan(position, ReadLimits.none.copy(splits = Some(2)))
      if (end > position) {
        rows ++= TextLines.rows(source, driver.splits(position, end).toVector).filter(_ != Header)
        driver.committed(end)
        position = end
        batches += 1
        read()
      }
    }
  }

  /** With which each part of the matrix begins. */
  private def Header = "header"

  private object Gunzip extends Decoding {
    override def of(
        files: SourceFiles,
        file: SourceFile
    ): Option[java.io.InputStream => java.io.InputStream] =
      Some(new GZIPInputStream(_))
  }

  private def filesOf(place: Place): SourceFiles = place match {
    case local: DirectoryPlace => new LocalSourceFiles(local.root)
    case hdfs: HdfsPlace       => hadoop(hdfs.root, HdfsUnderTest.configuration(), Renaming.Atomic)
    case s3: S3Place           => hadoop(s3.root, s3.configuration, Renaming.Checked)
    case other                 => throw new IllegalArgumentException(s"no source reads ${other.root}")
  }

  private def hadoop(root: String, configuration: Configuration, renaming: Renaming): SourceFiles =
    new HadoopSourceFiles(new HadoopFiles(root, new HadoopSettings(configuration), renaming))
}
