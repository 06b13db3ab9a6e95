// SPDX-License-Identifier: Apache-2.0
package stoplog.fault

import java.util.ServiceLoader
import java.util.concurrent.atomic.AtomicInteger

import scala.jdk.CollectionConverters._

/** A place in the protocol where a test may end the process. In production every step does nothing. */
trait Faults extends Serializable {
  def at(step: Step): Unit
}

object Faults {

  /** The system property that names one fault: `<step>:<occurrence>:<halt|throw>`, the occurrence counted from 1. */
  val Property: String = "stoplog.faults"

  val none: Faults = new Faults {
    override def at(step: Step): Unit = ()
  }

  /** The fault that [[Property]] asks for in this JVM; [[none]] when it is not set. */
  lazy val ofThisJvm: Faults = Option(System.getProperty(Property)).filter(_.nonEmpty).fold(none)(parse)

  /** Exit status of a process that a fault has halted: the one that `kill -9` gives. */
  val HaltStatus: Int = 137

  private[fault] def parse(spec: String): Faults = spec.split(':') match {
    case Array(step, occurrence, act @ ("halt" | "throw")) if occurrence.forall(_.isDigit) =>
      val at = Step.named(step).getOrElse(throw new IllegalArgumentException(s"$Property: no step '$step'"))
      new Nth(at, occurrence.toInt, act)
    case _ =>
      throw new IllegalArgumentException(s"$Property is '$spec'; write <step>:<occurrence>:<halt|throw>")
  }

  private final class Nth(step: Step, occurrence: Int, act: String) extends Faults {
    private val seen = new AtomicInteger()

    override def at(now: Step): Unit = if (now == step && seen.incrementAndGet() == occurrence) act match {
      case "halt" => Runtime.getRuntime.halt(HaltStatus)
      case _      => throw new InjectedFault(step)
    }
  }
}

/** The exception that a fault of kind `throw` raises. */
private[stoplog] final class InjectedFault(val step: Step)
    extends RuntimeException(s"injected at ${step.name}")

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
