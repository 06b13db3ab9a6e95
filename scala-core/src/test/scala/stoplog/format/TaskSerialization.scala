// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import java.io.{
  ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream, ObjectStreamClass
}

object TaskSerialization {

  /** The copy of an object that a task would get. */
  def toTask[A <: AnyRef](a: A): A = {
    val bytes = new ByteArrayOutputStream
    new ObjectOutputStream(bytes).writeObject(a)
    val in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray)) {
      override def resolveClass(of: ObjectStreamClass): Class[_] =
        Class.forName(of.getName, false, Thread.currentThread.getContextClassLoader)
    }
    in.readObject().asInstanceOf[A]
  }
}
