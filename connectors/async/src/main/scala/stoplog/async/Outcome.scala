// SPDX-License-Identifier: Apache-2.0
package stoplog.async

/** What became of a row. */
private[async] sealed trait Outcome[+B]

private[async] object Outcome {

  final case class Done[+B](rows: Seq[B]) extends Outcome[B]

  final case class Failed(error: Throwable, attempts: Int) extends Outcome[Nothing]
}
