// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode

import stoplog.commit.Liveness
import stoplog.error.{StoplogArgumentException, StoplogException}

/** The output of [[Main]]: one JSON object on one line. */
private[admin] object Answer {
  private val mapper = new ObjectMapper()

  def of(request: Request, plan: AdminPlan, outcome: Outcome): String = {
    val node = mapper.createObjectNode()
    node
      .put("command", plan.command)
      .put("path", request.path)
      .put("sinkId", request.sinkId)
      .put("carriedOut", outcome == Outcome.CarriedOut)
      .put("driver", plan.liveness.describe)
      .put("driverAlive", plan.liveness match { case _: Liveness.Alive => true; case _ => false })
    val actions = node.putArray("actions")
    plan.actions.foreach(action => write(action, actions.addObject()))
    mapper.writeValueAsString(node)
  }

  /** Of what went wrong, with its condition if it is one of stoplog's. */
  def of(problem: Throwable): String = {
    val node = mapper.createObjectNode()
    val into = node.putObject("error")
    problem match {
      case known: StoplogException =>
        into.put("condition", known.getCondition).put("sqlState", known.getSqlState)
      case known: StoplogArgumentException =>
        into.put("condition", known.getCondition).put("sqlState", known.getSqlState)
      case other => into.put("condition", other.getClass.getName)
    }
    into.put("message", String.valueOf(problem.getMessage))
    mapper.writeValueAsString(node)
  }

  private def write(action: AdminAction, into: ObjectNode): Unit = {
    into.put("action", action.word).put("subject", action.subject).put("reason", action.reason)
    action.bytes.foreach(into.put("bytes", _))
    action.rows.foreach(into.put("rows", _))
    action match {
      case aside: AdminAction.MoveAside   => into.put("to", aside.to)
      case record: AdminAction.KeepRecord => into.put("to", record.to)
      case _                              => into
    }
    ()
  }

  sealed trait Outcome
  object Outcome {
    case object Planned    extends Outcome
    case object CarriedOut extends Outcome
  }
}
