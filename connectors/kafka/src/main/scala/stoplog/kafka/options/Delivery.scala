// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.options

/** What is promised of the rows that are written. */
private[kafka] sealed abstract class Delivery(val word: String) extends Product with Serializable

private[kafka] object Delivery {

  /** Nothing: whether a record has arrived is not asked. */
  case object Unpromised extends Delivery("none")

  /** Each row is there before its micro-batch ends, and may be there more than once after a failure. */
  case object AtLeastOnce extends Delivery("at-least-once")

  /** Who reads committed records sees each row once. */
  case object ExactlyOnce extends Delivery("exactly-once")

  val all: Seq[Delivery] = Seq(Unpromised, AtLeastOnce, ExactlyOnce)
}
