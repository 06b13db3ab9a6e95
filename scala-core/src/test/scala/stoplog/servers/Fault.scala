// SPDX-License-Identifier: Apache-2.0
package stoplog.servers

/** What goes wrong with one request. */
sealed trait Fault

object Fault {

  /** The proxy answers in place of the server, which does not hear of it. */
  final case class Answered(status: Int, reason: String, code: String) extends Fault

  val SlowDown: Fault      = Answered(503, "Service Unavailable", "SlowDown")
  val InternalError: Fault = Answered(500, "Internal Server Error", "InternalError")
  val NoSuchUpload: Fault  = Answered(404, "Not Found", "NoSuchUpload")

  /** Another conditional write of the same object is under way. */
  val Conflict: Fault = Answered(409, "Conflict", "ConditionalRequestConflict")

  /** The connection is reset, and the server does not hear of it. */
  case object ResetBefore extends Fault

  /** The server does what it is asked for, and the connection is reset in place of its answer. */
  case object AnswerLost extends Fault

  /** The server does not hear of it, and nothing is answered until the client gives up. */
  case object NoAnswer extends Fault
}
