// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.spark.sql.catalyst.InternalRow

import stoplog.commit.{Finish, RealTools, SinkDriver, SinkIdentity, SinkSettings}
import stoplog.error.Redaction
import stoplog.part.RunId
import stoplog.sink.TwoPhaseSink

/** One start of a query with a sink that commits in two phases. */
private[spark] final case class TwoPhaseRun(run: RunId, sink: TwoPhaseSink[InternalRow], sinkRun: SinkRun)

private[spark] object TwoPhaseRun {

  def apply(
      queryId: String,
      trigger: QueryTrigger,
      sink: TwoPhaseSink[InternalRow],
      settings: TwoPhaseSettings
  ): TwoPhaseRun = {
    val run       = RunId.random()
    val committer = sink.committer()
    val storage   = settings.storage
    val driver    = SinkDriver.ofPrepared(
      run,
      SinkIdentity(settings.path, settings.sinkId, queryId),
      SinkSettings(settings.fixed, content = "", Map(QueryTrigger.Noted -> trigger.word)),
      storage.log,
      committer,
      SinkDriver.Choices(settings.onForeign, settings.onLost),
      RealTools.ofThisJvm
    )
    val sinkRun = new SinkRun(
      Redaction.text(s"Sink ${settings.sinkId} of ${sink.target}"),
      driver,
      heartbeat = None,
      probe = () => storage.probe(),
      TickMillis,
      finish = _ => Finish.KeepOpen,
      progressed = _ => (),
      closed = () => committer.close()
    )
    TwoPhaseRun(run, sink, sinkRun)
  }

  /** Nothing is open between epochs. What is due at most is to try again what the storage or the target refused. */
  private final val TickMillis = 60000L
}
