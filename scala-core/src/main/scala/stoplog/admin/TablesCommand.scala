// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode

import stoplog.announce.table.ComparedTable
import stoplog.error.{Causes, Errors, Redaction}
import stoplog.options.AnnounceOptions

/** Reads the tables of targets, which Python's `check` compares with the logs and the files. */
private[admin] object TablesCommand {

  /** Returns the tables as a JSON object. A table that cannot be read has a `problem`.
    *
    * Error: `STOPLOG_INVALID_OPTIONS` if no target has a table.
    */
  def answer(sink: SinkContext, options: AnnounceOptions): String = {
    val mapper = new ObjectMapper()
    val node   = mapper.createObjectNode().put("command", "tables")
    val tables = node.putArray("tables")
    options.targets.foreach { configured =>
      val target = configured.create()
      try
        target match {
          case table: ComparedTable => write(sink, table, tables.addObject().put("target", configured.name))
          case _                    => ()
        }
      finally target.close()
    }
    if (tables.isEmpty)
      throw Errors.invalidOptions(
        Seq("A check compares tables, and no target has a table: set announce.<name> to iceberg or delta.")
      )
    mapper.writeValueAsString(node)
  }

  /** Reads the positions first: so the files have all changes up to the positions. */
  private def write(sink: SinkContext, table: ComparedTable, into: ObjectNode): Unit =
    try {
      val positions = into.putArray("positions")
      for {
        log <- sink.sinkIds()
        id  <- table.position(sink.path, log)
      }
        positions
          .addObject()
          .put("log", log)
          .put("identity", id.log.identity)
          .put("sequence", id.sequence)
          .put("number", id.number)
      table.content(sink.path).foreach { content =>
        val (files, removed, others) =
          (into.putArray("files"), into.putArray("removed"), into.putObject("removedByOthers"))
        content.files.foreach(files.add(_))
        content.removed.foreach(removed.add(_))
        content.removedByOthers.foreach { case (path, commit) => others.put(path, commit) }
        content.sinceMillis.foreach(into.put("sinceMillis", _))
        into.put("elsewhere", content.elsewhere).put("isListed", content.isListed)
      }
    } catch {
      case e @ (NonFatal(_) | (_: LinkageError)) => // a class of the table's libraries may be missing
        into.put("problem", Redaction.text(Causes.reason(e))): Unit
    }
}
