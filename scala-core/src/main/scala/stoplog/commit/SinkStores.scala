// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.CommitLog
import stoplog.storage.{FileStore, NoFiles, PartStore, ReplacedFiles, SpoolFiles}

/** The stores of one file sink: its log, and the files that the log names. */
private[stoplog] trait SinkStores extends Ledger.Stores {
  final override def kind: SinkKind = SinkKind.Files

  def parts: PartStore

  /** Returns the files under the sink's path and in the sink's directory. */
  def files: FileStore

  final override def committer: PartCommitter = new PartCommitter.OfStore(parts)
}

private[stoplog] object SinkStores {

  /** Creates the stores from separate objects. */
  def of(
      commits: CommitLog,
      store: PartStore,
      spooled: SpoolFiles = SpoolFiles.none,
      replaced: ReplacedFiles = ReplacedFiles.none,
      notes: FileStore = NoFiles
  ): SinkStores = new SinkStores {
    override def log: CommitLog          = commits
    override def parts: PartStore        = store
    override def spoolFiles: SpoolFiles  = spooled
    override def finished: ReplacedFiles = replaced
    override def files: FileStore        = notes
  }
}
