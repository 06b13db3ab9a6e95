// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.nio.file.{Files, Path}

import org.scalatest.funsuite.AnyFunSuite

import stoplog.fault.Faults
import stoplog.part.RunId
import stoplog.storage.hadoop._
import stoplog.storage.local._

/** Two sinks with one sink id and inProgress=bucket, one of them in a directory of the other. */
class NestedSinksSuite extends AnyFunSuite {
  private val inBucket = PartLayout.InBucket("main", "_", ".in-progress", "_", ".pending")

  private def root: Path = Files.createTempDirectory("stoplog-nested")

  private def local(path: Path): PartStore =
    new LocalPartStore(path.toString, "main", inBucket, LocalForcing.Process, Faults.none)

  private def onHadoop(path: Path): PartStore = {
    val files = new HadoopFiles(
      s"file://$path",
      new HadoopSettings(TestFileSystems.register(HadoopDefaults.configuration())),
      Renaming.Checked
    )
    new HadoopPartStore(
      files,
      "main",
      inBucket,
      Growth.CreateOnly,
      Trimming.Copy,
      new ValidLengths(files, "main", ValidLengthNames.standard),
      Faults.none
    )
  }

  for ((name, store) <- Seq[(String, Path => PartStore)]("local files" -> local, "Hadoop" -> onHadoop))
    test(s"the sweep of a sink skips open parts of a nested sink: $name") {
      val outer                            = root
      val inner                            = Files.createDirectories(outer.resolve("day=1/events"))
      def open(path: Path, bucket: String) = {
        val part = store(path).create(NewPart(bucket, "part-1.txt", RunId.random()))
        part.write("rows\n".getBytes, 0, 5)
        part.finish().token
      }
      val ours = Set(open(outer, ""), open(outer, "day=1"), open(outer, "_rejected/day=1"))
      open(inner, "b"): Unit
      open(inner, ""): Unit
      Files.createDirectories(inner.resolve("_stoplog/main/log"))
      assert(store(outer).staged().map(_.token).toSet === ours)
      assert(store(inner).staged().size === 2)
      LocalUnderTest.remove(outer)
    }
}
