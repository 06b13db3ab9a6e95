// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.lang.reflect.{InvocationTargetException, Method, Proxy}

import scala.reflect.{ClassTag, classTag}

/** An object of JDBC's that does some things otherwise. */
object JdbcProxy {

  /** The same but for the methods of these names. */
  def apply[A <: AnyRef: ClassTag](real: A)(other: PartialFunction[String, AnyRef]): A =
    calls(real)(Function.unlift { case (name, _) => other.lift(name) })

  /** The same but for these calls: a method's name, and its arguments. */
  def calls[A <: AnyRef: ClassTag](real: A)(other: PartialFunction[(String, Seq[Any]), AnyRef]): A = Proxy
    .newProxyInstance(
      getClass.getClassLoader,
      Array[Class[_]](classTag[A].runtimeClass),
      (_: AnyRef, method: Method, arguments: Array[AnyRef]) => {
        val passed = Option(arguments).getOrElse(Array.empty[AnyRef])
        other.applyOrElse(
          (method.getName, passed.toSeq),
          (_: (String, Seq[Any])) =>
            try method.invoke(real, passed: _*)
            catch { case e: InvocationTargetException => throw e.getCause }
        )
      }
    )
    .asInstanceOf[A]
}
