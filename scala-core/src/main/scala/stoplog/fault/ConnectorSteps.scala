// SPDX-License-Identifier: Apache-2.0
package stoplog.fault

import java.util.ServiceLoader

import scala.jdk.CollectionConverters._

/** The steps that a connector's sink passes besides those of the core. A connector's jar names its class in
  * `META-INF/services/stoplog.fault.ConnectorSteps`.
  */
private[stoplog] trait ConnectorSteps {
  def all: Vector[Step]
}

private[fault] object ConnectorSteps {

  /** In the order of their names. Spark's `--jars` are known to the context's loader alone. */
  def onClassPath: Vector[Step] = {
    val loaders = Seq(Thread.currentThread().getContextClassLoader, getClass.getClassLoader)
    loaders
      .filter(_ != null)
      .distinct
      .flatMap(ServiceLoader.load(classOf[ConnectorSteps], _).asScala)
      .flatMap(_.all)
      .distinct
      .sortBy(_.name)
      .toVector
  }
}
