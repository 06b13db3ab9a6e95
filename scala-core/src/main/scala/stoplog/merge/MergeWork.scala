// SPDX-License-Identifier: Apache-2.0
package stoplog.merge

import scala.util.Using

import stoplog.commit.Merge
import stoplog.compact.{CompactionInput, Compactor, MergedOutput}
import stoplog.fault.Faults
import stoplog.place.SinkStorage
import stoplog.store.hadoop.HadoopSettings

/** One merge, as a task does it. */
private[stoplog] final case class MergeWork(
    merge: Merge,
    storage: SinkStorage,
    compactor: Compactor,
    hadoop: HadoopSettings
) {

  /** The token of the merged part, and its size in bytes. An attempt writes where no other does (I1). */
  def run(): (String, Long) = {
    val inputs = merge.inputs.map { part =>
      CompactionInput(storage.pathOf(part.path), part.sizeBytes, hadoop.configuration)
    }
    inputs.foreach(refuseIfChanged)
    Using.resource(new MergedOutput(storage.parts.create(merge.part), Faults.ofThisJvm)) { out =>
      compactor.compact(inputs, out)
      if (out.position == 0) throw new IllegalStateException(s"$compactor has written nothing")
      val handle = out.finish()
      (handle.token, out.position)
    }
  }

  private def refuseIfChanged(input: CompactionInput): Unit = {
    val actual = input.path.getFileSystem(input.configuration).getFileStatus(input.path).getLen
    if (actual != input.sizeBytes)
      throw new IllegalStateException(
        s"${input.path} has $actual bytes, and had ${input.sizeBytes} when it was published"
      )
  }
}
