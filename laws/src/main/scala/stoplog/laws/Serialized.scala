// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}
import java.io.ObjectStreamClass

/** Serializes an object as on the path from the driver to a task. */
private[laws] object Serialized {

  /** Returns a copy, as received by a task. */
  def copyOf[A](value: A): A = {
    val bytes = new ByteArrayOutputStream()
    val out   = new ObjectOutputStream(bytes)
    out.writeObject(value)
    out.close()
    new Input(bytes.toByteArray, value.getClass.getClassLoader).readObject().asInstanceOf[A]
  }

  /** Loads test classes, which the default class loader of this JVM may not find. */
  private final class Input(bytes: Array[Byte], loader: ClassLoader)
      extends ObjectInputStream(new ByteArrayInputStream(bytes)) {
    override protected def resolveClass(described: ObjectStreamClass): Class[_] =
      try Class.forName(described.getName, false, loader)
      catch { case _: ClassNotFoundException => super.resolveClass(described) }
  }
}
