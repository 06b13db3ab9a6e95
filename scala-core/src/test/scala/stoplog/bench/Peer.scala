// SPDX-License-Identifier: Apache-2.0
package stoplog.bench

import org.apache.hadoop.fs.{FSDataOutputStream, Path}

import stoplog.part.RunId
import stoplog.storage.hadoop.HadoopFiles
import stoplog.storage.{NewPart, PartOutput, PartStore}

/** A way to bring the bytes of one file to a storage, until readers see it under its name. */
trait Peer {
  def name: String

  /** The peer that promises as much, and is its measure. */
  def measure: String

  /** Called by as many threads as there are writers, each with another file. */
  def write(file: String, rows: Rows): Unit
}

/** What a file consists of: pieces as an encoder hands them over.
  *
  * @param pieces a multiple of every number of epochs
  */
final case class Rows(pieces: Int, pieceBytes: Int = 64 << 10) {
  private val piece = Array.tabulate(pieceBytes)(at => if (at % 80 == 79) '\n'.toByte else (at * 31).toByte)

  val bytes: Long = pieces.toLong * pieceBytes

  /** Hands over one of so many equal shares. */
  def share(of: Int)(write: (Array[Byte], Int, Int) => Unit): Unit =
    for (_ <- 0 until pieces / of) write(piece, 0, pieceBytes)
}

/** The file system's own stream: create, write, close. */
final class PlainStream(val name: String, files: HadoopFiles, create: Path => FSDataOutputStream)
    extends Peer {
  override def measure: String = name

  override def write(file: String, rows: Rows): Unit = {
    val out = create(files.at(file))
    try rows.share(of = 1)(out.write(_, _, _))
    finally out.close()
  }
}

/** The same, and flushed so many times: as durable as a part after each epoch. Nobody else can go on with it. */
final class FlushedStream(
    val name: String,
    val measure: String,
    files: HadoopFiles,
    times: Int
) extends Peer {
  override def write(file: String, rows: Rows): Unit = {
    val out = files.fileSystem.create(files.at(file), false)
    try
      for (_ <- 1 to times) {
        rows.share(of = times)(out.write(_, _, _))
        files.flush(out)
      }
    finally out.close()
  }
}

/** A part that is made durable at the end of each epoch, gone on with in the next one, finished and published. */
final class PartOfEpochs(val name: String, val measure: String, store: PartStore, epochs: Int) extends Peer {
  override def write(file: String, rows: Rows): Unit = {
    val share = rows.bytes / epochs
    val last  = (1 until epochs).foldLeft(store.create(NewPart("", file, PartOfEpochs.Run))) {
      (output, epoch) => store.resume(written(output, rows).persist(), epoch * share)
    }
    store.publish(written(last, rows).finish(), rows.bytes, file)
    ()
  }

  private def written(output: PartOutput, rows: Rows): PartOutput = {
    rows.share(epochs)(output.write)
    output
  }
}

object PartOfEpochs {
  private val Run = RunId("11111111-1111-4111-8111-111111111111")
}
