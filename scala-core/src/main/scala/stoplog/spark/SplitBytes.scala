// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}

import org.apache.spark.sql.connector.read.InputPartition

import stoplog.source.VersionedSerializer

/** The splits of one task, as bytes of their own serializer. */
private[spark] final case class SplitBytes(version: Int, count: Int, bytes: Array[Byte])
    extends InputPartition {

  def splits[S](serializer: VersionedSerializer[S]): Vector[S] = {
    val in = new DataInputStream(new ByteArrayInputStream(bytes))
    Vector.fill(count)(serializer.read(version, in))
  }
}

private[spark] object SplitBytes {
  def of[S](splits: Seq[S], serializer: VersionedSerializer[S]): SplitBytes = {
    val bytes = new ByteArrayOutputStream()
    val out   = new DataOutputStream(bytes)
    splits.foreach(serializer.write(_, out))
    out.flush()
    SplitBytes(serializer.version, splits.size, bytes.toByteArray)
  }
}
