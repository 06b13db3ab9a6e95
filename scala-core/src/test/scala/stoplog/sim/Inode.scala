// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import java.nio.charset.StandardCharsets.UTF_8

/** The bytes of a file, whatever it is called now: who holds it open writes into it even after a rename.
  *
  * @param token the name that it was made under
  */
final class Inode(val token: String) {
  var bytes: Array[Byte]       = new Array[Byte](64)
  var length: Int              = 0
  var durable: Int             = 0
  var modifiedAtMillis: Long   = 0L
  var finished: Option[String] = None

  /** The bytes that count, if a companion of the finished file says so. */
  var valid: Option[Int] = None

  /** Whose it is until a record names it. */
  var maker: Option[SimProcess] = None

  /** Names that it has where the sink does not look: a reader's, or those of a copy of the directory. */
  var namesElsewhere: Int = 0

  /** The rows that a reader finds, who reads the companion as well. */
  def counted: Vector[String] = rows(valid.getOrElse(length))

  def text(from: Int, to: Int): String = new String(bytes, from, to - from, UTF_8)

  /** The rows in the first bytes: lines, but for the one that ends a part of blocks. */
  def rows(size: Int): Vector[String] =
    text(0, size).split('\n').toVector.map(_.trim).filterNot(line => line.isEmpty || line.startsWith("]"))
}

object Inode {

  /** An object, which is durable as soon as it is there. */
  def of(token: String, content: Array[Byte], nowMillis: Long): Inode = {
    val inode = new Inode(token)
    inode.bytes = content
    inode.length = content.length
    inode.durable = content.length
    inode.modifiedAtMillis = nowMillis
    inode
  }
}
