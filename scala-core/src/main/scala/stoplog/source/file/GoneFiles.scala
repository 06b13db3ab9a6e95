// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.io.{DataInput, DataOutput}

/** The hashes of files that are to be forgotten, as bytes. */
private[file] object GoneFiles {

  def write(hashes: Vector[PathHash], out: DataOutput): Unit = {
    out.writeInt(hashes.size)
    hashes.foreach { hash =>
      out.writeLong(hash.high)
      out.writeInt(hash.low)
    }
  }

  def read(in: DataInput): Vector[PathHash] = Vector.fill(in.readInt())(PathHash(in.readLong(), in.readInt()))
}
