// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.util.HexFormat

/** The tables of a sink of exactly-once inserts.
  *
  * @param sink the name of its row in the epochs table
  */
private[jdbc] final case class SinkTables(
    sink: String,
    target: Target,
    epochs: EpochsTable,
    staging: StagingTable,
    rejects: Option[RejectTables]
) {
  def allStaging: Seq[StagingTable] = staging +: rejects.map(_.staging).toSeq
}

/** @param text how a staged row becomes the text of a rejected one */
private[jdbc] final case class RejectTables(table: RejectTable, staging: StagingTable, text: StagedText)

private[jdbc] object SinkTables {

  /** @param sinkId   of the query, or of the one job
    * @param epochs   the name of the epochs table; by default beside the target
    * @param rejected the reject table, if bad rows go there
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
      EpochsTable(epochs.getOrElse(TableName.beside(target.table, "stoplog_epochs")), sink),
      StagingTable(name(target, sink, "staging"), target.table, target.columns, target.dialect),
      rejected.map { case (table, text) =>
        val staging =
          StagingTable(name(target, sink, "rejects"), table.table, table.columns, target.dialect)
        RejectTables(table, staging, text)
      }
    )
  }

  // Short, because some databases cut names at 63 characters, and the same at each start.
  private def name(target: Target, sink: String, what: String): String = {
    val digest = MessageDigest.getInstance("SHA-256").digest(sink.getBytes(UTF_8))
    TableName.beside(target.table, s"stoplog_${what}_${HexFormat.of().formatHex(digest).take(12)}")
  }
}
