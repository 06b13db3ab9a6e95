// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.staging

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.util.HexFormat

import stoplog.jdbc.client.{SinkAddress, TableName}
import stoplog.jdbc.rejects.{RejectTable, StagedText}
import stoplog.jdbc.table.Target

/** The tables of a sink of exactly-once inserts.
  *
  * @param sink the name of the sink's row in the epochs table
  */
private[jdbc] final case class SinkTables(
    sink: String,
    target: Target,
    epochs: EpochsTable,
    staging: StagingTable,
    rejects: Option[RejectTables]
) {
  def address: SinkAddress = SinkAddress(sink, target.table, target.database)

  def allStaging: Seq[StagingTable] = staging +: rejects.map(_.staging).toSeq
}

/** @param text formats a staged row as the text of a rejected row */
private[jdbc] final case class RejectTables(table: RejectTable, staging: StagingTable, text: StagedText)

private[jdbc] object SinkTables {

  /** @param sinkId   the sink id of the query or of the job
    * @param epochs   the name of the epochs table; in the schema of the target by default
    * @param rejected the reject table, if bad rows are rejected
    */
  def of(
      target: Target,
      sinkId: String,
      epochs: Option[String],
      rejected: Option[(RejectTable, StagedText)]
  ): SinkTables = {
    val sink = s"${target.table}/$sinkId"
    SinkTables(
      sink,
      target,
      EpochsTable(epochs.getOrElse(TableName.inSameSchema(target.table, "stoplog_epochs")), sink),
      StagingTable(name(target, sink, "staging"), target.table, target.columns, target.dialect),
      rejected.map { case (table, text) =>
        val staging =
          StagingTable(name(target, sink, "rejects"), table.table, table.columns, target.dialect)
        RejectTables(table, staging, text)
      }
    )
  }

  // Short, because some databases truncate names to 63 characters, and stable across restarts.
  private def name(target: Target, sink: String, what: String): String = {
    val digest = MessageDigest.getInstance("SHA-256").digest(sink.getBytes(UTF_8))
    TableName.inSameSchema(target.table, s"stoplog_${what}_${HexFormat.of().formatHex(digest).take(12)}")
  }
}
