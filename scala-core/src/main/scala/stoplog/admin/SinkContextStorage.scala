// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import org.apache.hadoop.conf.Configuration

import stoplog.commit.{CompactionCommit, DriverTools, PartFormat, SinkStores}
import stoplog.format.bulk.EndingParts
import stoplog.log.{CommitLog, LogRecord}

import stoplog.part.RunId
import stoplog.place.SinkStorage

import stoplog.options.PartOptions
import stoplog.storage.{Durability, FileStore, Truncation}

/** How one sink id is stored, as far as its tools need to know. */
private[admin] trait SinkContextStorage {
  def log: CommitLog

  def notes: FileStore

  /** Of all sinks under the path. */
  def sinkIds: Vector[String]

  /** Whether an open part can be finished anywhere but where it was to be, and the beginning of a finished one be cut. */
  def finishesAnywhere: Boolean

  /** By what the record says of where parts are. */
  def stores(newest: LogRecord): SinkStores

  /** A run of the batch compaction of the path. */
  def compaction(run: RunId, tools: DriverTools): CompactionCommit

  /** The format that writes the rows an open part still lacks. */
  def format(stores: SinkStores): PartFormat[_]
}

private[admin] object SinkContextStorage {

  /** On a file system or an object store.
    *
    * @param truncation as the query's option `useTruncate` says
    */
  def of(
      path: String,
      sinkId: String,
      truncation: Truncation,
      configuration: Configuration,
      durability: Durability
  ): SinkContextStorage = new SinkContextStorage {
    private val plain = SinkStorage.plain(path, sinkId, durability, configuration)

    override def log: CommitLog            = plain.log
    override def notes: FileStore          = plain.files
    override def sinkIds: Vector[String]   = plain.sinkIds("")
    override def finishesAnywhere: Boolean = plain.finishesAnywhere

    override def stores(newest: LogRecord): SinkStores = {
      val layout = PartOptions.recorded(sinkId, newest.state.settings)
      SinkStorage.recorded(path, sinkId, layout, durability, truncation, configuration)
    }

    override def compaction(run: RunId, tools: DriverTools): CompactionCommit =
      plain.compaction(run, tools)

    override def format(stores: SinkStores): PartFormat[_] = new EndingParts(stores.sides, running = None)
  }
}
