// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import stoplog.admin.AdminAction.{Advise, Hand, KeepRecord, MoveAside}
import stoplog.fault.Step
import stoplog.log.{LogRecord, RecordCodec, SinkState}

/** Begins a log anew. It goes on in the same place, with a record from which nothing follows: so it is one record that
  * decides, and a living driver is fenced as ever.
  */
private[admin] object ResetCommand {

  def plan(site: SinkContext, open: OpenRows): AdminPlan = {
    val newest  = site.newest()
    val aside   = site.aside()
    val records = site.log.all()
    val rows    = open match {
      case OpenRows.Finish    => FinalizeCommand.open(newest, "its rows are to stay")
      case OpenRows.MoveAside =>
        site.refuseIfBound(newest)
        newest.state.open.map { part =>
          MoveAside(
            part.finishedPath,
            aside.place(part.finishedPath),
            part.records,
            "its rows are not to be seen"
          )
        }
    }
    val kept = records.map { record =>
      KeepRecord(s"record ${record.seq}", aside.placeOfRecord(record.seq), "what the log said so far")
    }
    val actions = FinalizeCommand.decided(site, newest) ++ rows ++ kept ++ Vector(
      Hand(s"sink ${site.sinkId}", "to the next query that starts, from whatever batch it begins with"),
      Advise(
        site.path,
        "finished files stay: remove those whose rows the next query is going to write once more"
      )
    )
    new AdminPlan("reset", site.liveness(newest), actions, carryOut(site, newest, records, aside, open, _))
  }

  private def carryOut(
      site: SinkContext,
      newest: LogRecord,
      records: Vector[LogRecord],
      aside: Aside,
      open: OpenRows,
      whenAlive: WhenAlive
  ): Unit = site.changing(newest, whenAlive) { change =>
    records.foreach { record =>
      change.tools.retry(() =>
        change.stores.files.putIfAbsent(aside.placeOfRecord(record.seq), RecordCodec.encode(record))
      )
      change.tools.faults.at(Step.LogKept)
    }
    open match {
      case OpenRows.Finish =>
        change.tool.finishOpen()
        change.tool.release(_ => nobodys)
      case OpenRows.MoveAside => change.tool.releaseAside(aside.root, nobodys)
    }
  }

  /** Of which a next run takes over nothing. */
  private val nobodys =
    SinkState(SinkState.Nobody, lastEpoch = None, Vector.empty, nextPart = 0, settings = Map.empty)
}
