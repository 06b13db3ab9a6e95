// SPDX-License-Identifier: Apache-2.0
package stoplog.format.avro

import java.io.OutputStream

import org.apache.avro.io.{BinaryEncoder, EncoderFactory}

/** Counts what the rows of the block begun have come to: Avro's writer does not tell. */
private[avro] final class EncodedBytes {

  private var passed: Long           = 0
  private var encoder: BinaryEncoder = _

  /** Avro's ordinary encoder into the buffer of a block, watched. */
  def into(block: OutputStream): BinaryEncoder = {
    encoder = EncoderFactory.get.binaryEncoder(new Watched(block), null)
    encoder
  }

  def count: Long = passed + encoder.bytesBuffered

  /** The block has ended. */
  def restart(): Unit = passed = 0

  private final class Watched(block: OutputStream) extends OutputStream {
    override def write(b: Int): Unit = {
      passed += 1
      block.write(b)
    }

    override def write(bytes: Array[Byte], offset: Int, count: Int): Unit = {
      passed += count
      block.write(bytes, offset, count)
    }

    override def flush(): Unit = block.flush()
  }
}
