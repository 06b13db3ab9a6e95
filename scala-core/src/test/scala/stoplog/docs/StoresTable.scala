// SPDX-License-Identifier: Apache-2.0
package stoplog.docs

import stoplog.matrix.{Layout, Storage}
import stoplog.storage.Growth

/** What each kind of storage of the crash matrix can do: a kind without a row here does not compile. */
object StoresTable {

  def text: String =
    s"""## Storage
       |
       |Every storage keeps each row exactly once ([crash matrix](../correctness/crash-matrix.md)). Differences:
       |
       || Storage | A part stays open across micro-batches | An open part resumes after a restart | An abandoned writer is fenced by | Excess bytes of the writer are | `inProgress` |
       ||---|---|---|---|---|---|
       |${Storage.all.map(row).mkString("\n|")}
       |
       |The sink detects the abilities of a file system by trial files: [local disks and HDFS](../storage/hdfs.md), [S3](../storage/s3.md), [others](../storage/file-systems.md).
       |""".stripMargin

  private def row(storage: Storage): String = {
    val (open, goesOn, fence, junk) = abilities(storage)
    val layouts                     =
      storage.layouts.map { case Layout.Staging => "`staging`"; case _ => "`bucket`" }.mkString(", ")
    s"| ${storage.name} | $open | $goesOn | $fence | $junk | $layouts |"
  }

  private def abilities(storage: Storage): (String, String, String, String) = storage match {
    case Storage.Local     => ("yes", "in place", "a file lock", "truncated")
    case Storage.Hdfs      => ("yes", "in place; after a crash in a copy", "the file's lease", "truncated")
    case Storage.UncutHdfs =>
      (
        "yes",
        "in a copy",
        "the file's lease",
        "kept, with a [valid-length file](../storage/valid-length.md)"
      )
    case Storage.S3 =>
      ("yes", "in the same upload", "separate part numbers in the upload", "omitted on completion")
    case weak: Storage.Weak => ofWeak(weak)
  }

  private def ofWeak(weak: Storage.Weak): (String, String, String, String) = weak.abilities.growth match {
    case Growth.CreateOnly =>
      ("no: each micro-batch ends its parts", "–", "separate names", "deleted with the file")
    case _ => ("yes", "in a copy", "separate names for each run", "omitted by the copy")
  }
}
