// SPDX-License-Identifier: Apache-2.0
package stoplog.preflight

import stoplog.log.RecordNames
import stoplog.part.{PartNaming, RunId}
import stoplog.storage.{NewPart, PartLayout}

/** The names that a sink gives, with a run and numbers made up. */
private[stoplog] object ExampleNames {

  /** @param bucket of the first row, or what stands for one */
  def of(sinkId: String, naming: PartNaming, layout: PartLayout, bucket: String): Vector[ExampleName] = {
    val name     = naming.name(Run, 0)
    val finished = if (bucket.isEmpty) name else s"$bucket/$name"
    Vector(
      ExampleName("finished", finished),
      ExampleName("open", layout.inProgress(NewPart(bucket, name, Run), Unique)),
      ExampleName("log", s"_stoplog/$sinkId/log/${RecordNames.name(0)}")
    )
  }

  private val Run    = RunId("4f6c2a81-b0d3-4e5f-8a9b-0c1d2e3f4a5b")
  private val Unique = "9e1d05c7a2f40b36"
}
