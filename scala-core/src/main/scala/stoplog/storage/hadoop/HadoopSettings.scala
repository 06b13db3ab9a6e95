// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import java.io.{ObjectInputStream, ObjectOutputStream}

import org.apache.hadoop.conf.Configuration

/** A Hadoop configuration that goes to the executors with the store that needs it: Hadoop's own cannot. */
final class HadoopSettings(@transient private var held: Configuration) extends Serializable {
  def configuration: Configuration = held

  private def writeObject(out: ObjectOutputStream): Unit = held.write(out)

  private def readObject(in: ObjectInputStream): Unit = {
    held = new Configuration(false)
    held.readFields(in)
  }
}
