// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.nio.file.{Files, Path}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path => HadoopPath}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.storage.hadoop.{HadoopDefaults, TestFileSystems}

/** Valid-length files that a job hides, together with their files, while a source plans to read the files. */
class VanishingNotesSuite extends AnyFunSuite {
  for (scheme <- Seq("file", "cutting"))
    test(s"$scheme: a valid-length file that vanishes when it was found is no failure") {
      val root  = Files.createTempDirectory("stoplog-notes")
      val found = SourceFile("b/part.txt", 5, 0)
      val note  = Files.createDirectory(root.resolve("b")).resolve("_part.txt.valid-length")
      Files.write(note, Array[Byte](0, 1, '3'))
      assert(committed(input(scheme, root)).committed(found).bytes === 3)
      assert(committed(hiding(input(scheme, root), note)).committed(found) === found)
      assert(!Files.exists(note))
    }

  private def committed(files: SourceFiles): SourceFiles =
    new CommittedSourceFiles("in", files, CommittedSourceFiles.Finding.ByFinder, () => files)

  /** Another job deletes the file as soon as a process has found it. */
  private def hiding(files: SourceFiles, note: Path): SourceFiles = new ForwardingSourceFiles(files) {
    override def find(path: String): Option[Found] = {
      val found = super.find(path)
      Files.delete(note)
      found
    }
  }

  private def input(scheme: String, root: Path): SourceFiles =
    Storage.input(new HadoopPath(s"$scheme:$root"), Vector(""), configuration)

  private def configuration: Configuration = TestFileSystems.register(HadoopDefaults.configuration())
}
