// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}

/** Copies an object by Java serialization, as if the object were sent to another process. */
object Copied {
  def apply[A <: Serializable](value: A): A = {
    val bytes = new ByteArrayOutputStream()
    val out   = new ObjectOutputStream(bytes)
    out.writeObject(value)
    out.close()
    new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray)).readObject().asInstanceOf[A]
  }
}
