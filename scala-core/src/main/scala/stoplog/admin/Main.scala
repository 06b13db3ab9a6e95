// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import java.io.PrintStream
import java.nio.charset.StandardCharsets.UTF_8

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.hadoop.conf.Configuration

import stoplog.commit.{Liveness, SinkIdentity}
import stoplog.error.{Errors, StoplogArgumentException, StoplogException}
import stoplog.options.SparkHadoop
import stoplog.storage.Truncation

/** The tools for the command line. Reads one JSON object from standard input, and prints one JSON object to
  * standard output.
  *
  * Exit status: 0 if the tool executed, or planned, the request; 1 for a failure, reported as `error` in the
  * output. All other output is written to standard error. [[ProgressLines]] may precede the object.
  */
object Main {
  private val mapper = new ObjectMapper()

  def main(arguments: Array[String]): Unit = {
    val output = new PrintStream(System.out, true, UTF_8) // regardless of the locale
    System.setOut(System.err) // logging without a configuration writes to standard error
    sys.exit(run(new String(System.in.readAllBytes(), UTF_8), output))
  }

  private[admin] def run(json: String, output: PrintStream): Int =
    try {
      val request  = Request.read(json)
      val progress = new ProgressLines(output)
      output.println(SparkHadoop.withTool(request.configuration) {
        request.command match {
          case "qualify" => QualifyCommand.answer(request.path, request.configuration, progress)
          case "tables"  => request.sink.tables(request.options)
          case _         => planned(request, progress)
        }
      })
      0
    } catch {
      case NonFatal(e) =>
        output.println(answer(e))
        1
    }

  private def planned(request: Request, progress: ProgressLines): String = {
    val plan = request.plan(progress)
    request.carryOut.foreach(plan.carryOut)
    answer(request, plan)
  }

  private def answer(request: Request, plan: AdminPlan): String = {
    val node = mapper.createObjectNode()
    node
      .put("command", plan.command)
      .put("path", request.path)
      .put("sinkId", request.sinkId)
      .put("carriedOut", request.carryOut.isDefined)
      .put("driver", plan.liveness.describe)
      .put("driverAlive", plan.liveness match { case _: Liveness.Alive => true; case _ => false })
    val actions = node.putArray("actions")
    plan.actions.foreach(action => write(action, actions.addObject()))
    mapper.writeValueAsString(node)
  }

  /** Returns the failure, with the error condition of stoplog's exceptions. */
  private def answer(problem: Throwable): String = {
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

  /** The request to [[Main]].
    *
    * @param command   a method of [[SinkAdmin]]: finalize, clean, adopt, adoptAndRepeat, fork, reset, rewind,
    *                  relocate, announce, tryAnnouncement; or `qualify` and `tables`, which plan nothing
    * @param carryOut  whether and how to execute the plan; `None` to print the plan only
    */
  private[admin] final case class Request(
      command: String,
      path: String,
      sinkId: String,
      carryOut: Option[WhenAlive],
      configuration: Configuration,
      options: Map[String, String],
      fields: Map[String, String]
  ) {

    private[Main] def sink: SinkAdmin =
      SinkAdmin.at(path, sinkId, configuration, Request.truncation(path, options))

    /** Creates the plan. Error: `STOPLOG_INVALID_OPTIONS`. */
    def plan(progress: ProgressLines): AdminPlan =
      command match {
        case "finalize"        => sink.finalizeOpenParts()
        case "clean"           => sink.clean()
        case "adopt"           => sink.adopt(owner)
        case "adoptAndRepeat"  => sink.adoptAndRepeat(owner)
        case "fork"            => sink.fork()
        case "reset"           => sink.reset(open)
        case "rewind"          => sink.rewind(number("epoch"))
        case "relocate"        => sink.relocate(progress.to(_, _))
        case "announce"        => sink.announce(options)
        case "tryAnnouncement" => sink.tryAnnouncement(options)
        case other             => throw Errors.invalidOptions(Seq(s"There is no command $other."))
      }

    private def owner: NewOwner = fields.get("checkpoint") match {
      case Some(location) => NewOwner.ofCheckpoint(location, configuration)
      case None           => NewOwner(text("queryId"), number("batch"))
    }

    private def open: OpenRows = fields.getOrElse("open", "finish") match {
      case "finish" => OpenRows.Finish
      case "aside"  => OpenRows.MoveAside
      case other    =>
        throw Errors.invalidOptions(
          Seq(s"open = '$other' is invalid: set open to finish or aside.")
        )
    }

    private def number(field: String): Long = text(field).toLongOption.getOrElse {
      throw Errors.invalidOptions(Seq(s"$field is '${text(field)}', which is not a number."))
    }

    private def text(field: String): String =
      fields.getOrElse(field, throw Errors.invalidOptions(Seq(s"$command needs $field.")))
  }

  private[admin] object Request {

    /** Reads one JSON object. Missing fields have the defaults of the command line. */
    def read(json: String): Request = {
      val node          = new ObjectMapper().readTree(json)
      val configuration = new Configuration()
      texts(node.get("hadoop")).foreach { case (key, value) => configuration.set(key, value) }
      val texted = texts(node)
      Request(
        texted.getOrElse("command", ""),
        texted.getOrElse("path", throw Errors.pathMissing()),
        texted.getOrElse("sinkId", SinkIdentity.DefaultSinkId),
        Option.when(flag(node, "carryOut")) {
          if (flag(node, "driverIsDead")) WhenAlive.Fence else WhenAlive.Refuse
        },
        configuration,
        texts(node.get("options")),
        texted
      )
    }

    /** Parses the query options that a tool needs and the log does not contain. */
    private def truncation(path: String, options: Map[String, String]): Truncation =
      if (options.isEmpty) Truncation.Allowed
      else SinkAdmin.parsed(path, options).recovery.storage.truncation

    private def flag(node: JsonNode, name: String): Boolean = Option(node.get(name)).exists(_.asBoolean)

    private def texts(node: JsonNode): Map[String, String] =
      Option(node).fold(Map.empty[String, String]) { there =>
        there
          .fieldNames()
          .asScala
          .filter(key => there.get(key).isValueNode && !there.get(key).isNull)
          .map(key => key -> there.get(key).asText)
          .toMap
      }
  }
}
