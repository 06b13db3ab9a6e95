// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io._
import java.util.zip.{CRC32C, CheckedInputStream, CheckedOutputStream}

import stoplog.error.Errors
import stoplog.source.StateFiles
import stoplog.storage.PutOutcome

/** Stores a [[SeenBase]] as a file of the checkpoint: its entries, and a checksum. */
private[file] object SeenBaseFile {

  def write(state: StateFiles, name: String, base: SeenBase): PutOutcome = state.putIfAbsent(name) { to =>
    val checked = new CheckedOutputStream(to, new CRC32C())
    val out     = new DataOutputStream(new BufferedOutputStream(checked))
    out.writeInt(SeenFiles.Version)
    out.writeInt(base.width.longs)
    out.writeInt(base.size)
    SeenBase.writeTo(base, out)
    out.flush()
    out.writeLong(checked.getChecksum.getValue)
    out.flush()
  }

  /** Errors: `STOPLOG_SOURCE_STATE_LOST`, `STOPLOG_RECORD_TORN`, `STOPLOG_RECORD_TOO_NEW`. */
  def read(state: StateFiles, name: String): SeenBase = {
    val file    = new BufferedInputStream(SeenFiles.opened(state, name))
    val checked = new CheckedInputStream(file, new CRC32C())
    val in      = new DataInputStream(checked)
    try {
      SeenFiles.refuseNewer(state, name, in.readInt())
      val width = SeenWidth.of(in.readInt())
      val read  = SeenBase.read(in, in.readInt(), width)
      val sum   = checked.getChecksum.getValue
      if (in.readLong() != sum) throw Errors.recordTorn(state.describe(name), "its checksum does not match")
      read
    } catch {
      case _: EOFException => throw Errors.recordTorn(state.describe(name), "it ends in the middle")
    } finally in.close()
  }
}
