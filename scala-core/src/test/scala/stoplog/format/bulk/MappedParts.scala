// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import stoplog.part.Spooled
import stoplog.writing.{PartBuffer, PartEncoder, PartFormat, Unflushed}

/** Parts of a format for rows that are made of something else. */
final class MappedParts[A, R](parts: PartFormat[R])(row: A => R) extends PartFormat[A] {
  override def begin(name: String, end: PartBuffer): PartEncoder[A] = new Mapped(parts.begin(name, end))

  override def resume(name: String, end: PartBuffer, spooled: Spooled): PartEncoder[A] =
    new Mapped(parts.resume(name, end, spooled))

  override def close(): Unit = parts.close()

  private final class Mapped(rows: PartEncoder[R]) extends PartEncoder[A] {
    override def begin(): Unit         = rows.begin()
    override def append(from: A): Unit = rows.append(row(from))
    override def sizeBytes: Long       = rows.sizeBytes
    override def pause(): Unflushed    = rows.pause()
    override def finish(): Unit        = rows.finish()
    override def close(): Unit         = rows.close()
  }
}
