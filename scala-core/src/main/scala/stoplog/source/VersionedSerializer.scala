// SPDX-License-Identifier: Apache-2.0
package stoplog.source

import java.io.{DataInput, DataOutput}

/** Turns values into bytes that later releases can read.
  *
  * What is written lies in checkpoints for years: so each value is written field by field, with a number for the shape,
  * and never by Java serialization, which breaks when a class changes.
  *
  * {{{
  * object KeysSerializer extends VersionedSerializer[Keys] {
  *   val version = 1
  *   def write(keys: Keys, out: DataOutput): Unit = { out.writeLong(keys.from); out.writeLong(keys.until) }
  *   def read(version: Int, in: DataInput): Keys  = Keys(in.readLong(), in.readLong())
  * }
  * }}}
  */
trait VersionedSerializer[A] extends Serializable {

  /** The shape that [[write]] writes, from 1 on. Raise it with each change, and go on reading all before it. */
  def version: Int

  def write(value: A, out: DataOutput): Unit

  /** @param version what was written, at most [[version]]: a newer one is refused before it comes here */
  def read(version: Int, in: DataInput): A
}
