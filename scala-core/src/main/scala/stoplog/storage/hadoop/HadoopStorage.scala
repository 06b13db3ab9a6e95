// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import java.net.URI

import stoplog.error.Log
import stoplog.fault.Faults
import stoplog.storage._

/** Any Hadoop file system, depending on its detected capabilities.
  *
  * The driver detects the capabilities by one trial, and not before the first write, because a start may
  * still be rejected. The capabilities are serialized to the executors.
  */
private[stoplog] final class HadoopStorage(
    path: String,
    files: HadoopFiles,
    truncation: Truncation,
    faults: Faults
) extends Storage {
  private var known = Option.empty[CapabilityProbe.Capabilities]

  override def files(sinkId: String): FileStore =
    HadoopFileStore.ofSink(files, sinkId, new HadoopStorage.OfStorage(this, sinkId))

  override def parts(sinkId: String, layout: PartLayout): PartStore = new HadoopPartStore(
    files,
    sinkId,
    layout,
    growth(sinkId),
    Trimming.of(truncation, growth(sinkId)),
    ValidLengths.of(files, sinkId, truncation),
    faults
  )

  override def uri(relative: String): URI = files.at(relative).toUri

  override def growth(sinkId: String): Growth = capabilities(sinkId).growth

  override def probe(sinkId: String, layout: PartLayout): String = {
    val found = capabilities(sinkId)
    val alone = found.exclusion match {
      case CapabilityProbe.Exclusion.ByRename => "renamed, and not renamed over another file"
      case CapabilityProbe.Exclusion.ByCreate => "renamed, and not created over another file"
    }
    found.growth match {
      case Growth.CreateOnly        => s"A file was created, $alone. ${HadoopStorage.CreateOnly}"
      case Growth.AppendOnly        => s"A file was created, appended to, $alone. A cut requires a copy."
      case Growth.AppendAndTruncate => s"A file was created, appended to, cut, $alone."
    }
  }

  override def refuseUnfit(): Unit = files.refuseUnfit(path)

  private def capabilities(sinkId: String): CapabilityProbe.Capabilities = synchronized {
    known.getOrElse {
      val found = CapabilityProbe.of(files, sinkId)
      known = Some(found)
      if (found.growth == Growth.CreateOnly)
        Log.warn(s"$path: ${HadoopStorage.CreateOnly} ${Growth.Larger}")
      found
    }
  }
}

private[stoplog] object HadoopStorage {

  /** The finding of the storage's trial. The trial takes place when the storage first needs it. */
  private final class OfStorage(storage: HadoopStorage, sinkId: String) extends StoreExclusion {
    override def step: CapabilityProbe.Exclusion = storage.capabilities(sinkId).exclusion
  }

  private val CreateOnly =
    "The file system cannot append to a file: each micro-batch closes its parts (roll reason checkpoint), " +
      "and a file has the rows of at most one micro-batch."
}
