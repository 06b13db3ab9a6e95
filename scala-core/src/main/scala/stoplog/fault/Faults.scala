// SPDX-License-Identifier: Apache-2.0
package stoplog.fault

import java.util.ServiceLoader
import java.util.concurrent.atomic.AtomicInteger

import scala.jdk.CollectionConverters._

/** A place in the protocol where a test may end the process. In production, every step does nothing. */
trait Faults extends Serializable {
  def at(step: Step): Unit
}

object Faults {

  /** The system property for a fault: `<step>:<occurrence>:<halt|throw>`. Occurrences are counted from 1. */
  val Property: String = "stoplog.faults"

  val none: Faults = new Faults {
    override def at(step: Step): Unit = ()
  }

  /** The fault specified by [[Property]] in this JVM; [[none]] if the property is not set. */
  lazy val ofThisJvm: Faults = Option(System.getProperty(Property)).filter(_.nonEmpty).fold(none)(parse)

  /** The exit status of a process halted by a fault, the same as after `kill -9`. */
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

/** The exception thrown by a fault of kind `throw`. */
private[stoplog] final class InjectedFault(val step: Step)
    extends RuntimeException(s"injected at ${step.name}")

/** The steps of a connector's sink in addition to the core's steps. A connector's jar names its class in
  * `META-INF/services/stoplog.fault.ConnectorSteps`.
  */
private[stoplog] trait ConnectorSteps {
  def all: Vector[Step]
}

private[fault] object ConnectorSteps {

  /** Returns the steps sorted by name. Only the context class loader knows Spark's `--jars`. */
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
