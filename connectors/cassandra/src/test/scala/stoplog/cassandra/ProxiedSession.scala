// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra

import java.lang.reflect.{InvocationTargetException, Method, Proxy}
import java.util.concurrent.CompletionStage

import com.datastax.oss.driver.api.core.CqlSession

/** A session that does what another does, but lets a test have its way with requests. */
object ProxiedSession {

  /** @param request gets what makes the request, and answers in its place */
  def of(session: CqlSession)(
      request: (() => CompletionStage[AnyRef]) => CompletionStage[AnyRef]
  ): CqlSession = {
    def through(method: Method, arguments: Array[AnyRef]): AnyRef =
      try method.invoke(session, arguments: _*)
      catch { case e: InvocationTargetException => throw e.getCause }
    Proxy
      .newProxyInstance(
        classOf[CqlSession].getClassLoader,
        Array(classOf[CqlSession]),
        (_: AnyRef, method: Method, arguments: Array[AnyRef]) =>
          if (method.getName != "executeAsync") through(method, arguments)
          else request(() => through(method, arguments).asInstanceOf[CompletionStage[AnyRef]])
      )
      .asInstanceOf[CqlSession]
  }
}
