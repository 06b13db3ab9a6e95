// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import stoplog.fault.Faults
import stoplog.log.LogFiles
import stoplog.rolling.{PartStats, RollReason, RollingPolicy}
import stoplog.storage.hadoop._
import stoplog.storage.hadoop.CapabilityProbe.Capabilities
import stoplog.storage._

/** A file system of Hadoop's that lacks something.
  *
  * @param scheme    one of [[TestFileSystems]]
  * @param abilities those that it has
  */
final class WeakPlace(scheme: String, abilities: Capabilities, layout: Layout, override val content: Content)
    extends DirectoryPlace(layout) {
  override def root: String = s"$scheme:$directory"

  override def policy: RollingPolicy =
    if (abilities.growth == Growth.CreateOnly) WeakPlace.ClosingEachEpoch else super.policy

  override def parts(sinkId: String, faults: Faults): PartStore = {
    val lengths = new ValidLengths(hadoop, sinkId, ValidLengthNames.standard)
    new HadoopPartStore(
      hadoop,
      sinkId,
      layout.of(sinkId),
      abilities.growth,
      Trimming.Copy,
      lengths,
      faults
    )
  }

  override def replaced(sinkId: String): ReplacedFiles =
    new ReplacedFiles(HadoopFileStore.ofSink(hadoop, sinkId), sinkId)

  override def spoolFiles(sinkId: String): SpoolFiles =
    new SpoolFiles(HadoopFileStore.ofSink(hadoop, sinkId), sinkId)

  override def records(sinkId: String, faults: Faults): LogFiles =
    new LogFiles(notes(sinkId), sinkId, faults)

  override def notes(sinkId: String): FileStore =
    HadoopFileStore.ofSink(hadoop, sinkId, StoreExclusion.Known(abilities.exclusion))

  override def job(name: String): JobDirectory = new JobDirectory(HadoopFileStore.ofSink(hadoop, name), name)

  private def hadoop: HadoopFiles = {
    val configuration = TestFileSystems.register(HadoopDefaults.configuration())
    new HadoopFiles(root, new HadoopSettings(configuration), Renaming.Checked)
  }
}

private object WeakPlace {

  /** As the sink does it where no file can be gone on with. */
  object ClosingEachEpoch extends RollingPolicy {
    override def beforeRow(part: PartStats, nowMillis: Long): Option[RollReason] =
      MatrixPolicy.beforeRow(part, nowMillis)

    override def onTime(part: PartStats, nowMillis: Long): Option[RollReason] =
      MatrixPolicy.onTime(part, nowMillis)

    override def onEpochEnd(part: PartStats, nowMillis: Long): Option[RollReason] = Some(
      RollReason.Checkpoint
    )
  }
}
