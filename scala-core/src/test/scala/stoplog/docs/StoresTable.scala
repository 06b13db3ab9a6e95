// SPDX-License-Identifier: Apache-2.0
package stoplog.docs

import stoplog.matrix.{Layout, Storage}
import stoplog.storage.Growth

/** What each kind of storage of the crash matrix can do: a kind without a row here does not compile. */
object StoresTable {

  def text: String =
    s"""## Storage
       |
       |Each row is exactly once on all of them ([crash matrix](../correctness/crash-matrix.md)). They differ in this:
       |
       || Storage | A part stays open across micro-batches | It goes on after a restart | A writer that was given up is kept off by | What it wrote too much is | `inProgress` |
       ||---|---|---|---|---|---|
       |${Storage.all.map(row).mkString("\n|")}
       |
       |Which one a file system is, is found out by trying: [local disks and HDFS](../storage/hdfs.md), [S3](../storage/s3.md), [others](../storage/file-systems.md).
       |""".stripMargin

  private def row(storage: Storage): String = {
    val (open, goesOn, fence, junk) = abilities(storage)
    val layouts                     =
      storage.layouts.map { case Layout.Staging => "`staging`"; case _ => "`bucket`" }.mkString(", ")
    s"| ${storage.name} | $open | $goesOn | $fence | $junk | $layouts |"
  }

  private def abilities(storage: Storage): (String, String, String, String) = storage match {
    case Storage.Local     => ("yes", "in place", "a file lock", "cut off")
    case Storage.Hdfs      => ("yes", "in place; after a crash in a copy", "the file's lease", "cut off")
    case Storage.UncutHdfs =>
      (
        "yes",
        "in a copy",
        "the file's lease",
        "left, and [noted beside the file](../storage/valid-length.md)"
      )
    case Storage.S3 =>
      ("yes", "in the same upload", "numbers of its own in the upload", "left out on completion")
    case weak: Storage.Weak => ofWeak(weak)
  }

  private def ofWeak(weak: Storage.Weak): (String, String, String, String) = weak.abilities.growth match {
    case Growth.CreateOnly =>
      ("no: each micro-batch ends its parts", "–", "names of its own", "deleted with its file")
    case _ => ("yes", "in a copy", "names of its own for each run", "left behind by the copy")
  }
}
