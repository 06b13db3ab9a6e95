// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hdfs

import java.io.{EOFException, FileNotFoundException, IOException}

import org.apache.hadoop.fs.Path

import stoplog.error.Errors
import stoplog.storage.PartOutput
import stoplog.storage.hadoop.{HadoopFiles, HadoopPrefix}

/** Copies the committed bytes of a part, also while another client is still writing behind them. */
private[hdfs] final class HdfsPrefix(files: HadoopFiles, leases: HdfsLeases) {

  /** Error: `STOPLOG_PART_SHORT` when the file has fewer bytes, or is not there. */
  def copy(from: Path, validBytes: Long, to: PartOutput): Unit =
    try copied(from, validBytes, to)
    catch {
      case _: FileNotFoundException => throw Errors.partShort(from.toString, 0, validBytes)
      case e: IOException           => throw Errors.storeWrite(from.toString, HadoopFiles.reason(e), e)
    }

  private def copied(from: Path, validBytes: Long, to: PartOutput): Unit = {
    val in = opened(from)
    try HadoopPrefix.copy(in, from, validBytes, to)
    catch { case _: EOFException => throw Errors.partShort(from.toString, to.position, validBytes) }
    finally in.close()
  }

  /** A block whose recovery has begun has no length for a moment, and a file whose writer died with its DataNode has
    * none until the lease is ended.
    */
  private def opened(from: Path) =
    try files.fileSystem.open(from)
    catch {
      case gone: FileNotFoundException => throw gone
      case _: IOException              =>
        leases.end(from)
        files.fileSystem.open(from)
    }
}
