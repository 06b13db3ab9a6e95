// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import java.io.File
import java.nio.file.{Files, Path}

import org.apache.hadoop.fs.{Path => HadoopPath}
import org.scalatest.funsuite.AnyFunSuite

/** Emptied directories, on a file system that checks a directory and then deletes all its files. */
class EmptyDirectoriesSuite extends AnyFunSuite {

  test("a file that another job publishes while its directory is deleted as empty stays") {
    val configuration = HadoopDefaults.configuration()
    configuration.set("fs.filling.impl", classOf[FillingFs].getName)
    val root  = Files.createTempDirectory("stoplog-filling")
    val files = new HadoopFiles(s"filling:$root", new HadoopSettings(configuration), Renaming.Checked)
    val empty = Files.createDirectories(root.resolve("b/c"))
    HadoopFileStore.ofSink(files, "main").deleteEmpty("b/c")
    assert(Files.isDirectory(empty) && FillingFs.published.forall(Files.exists(_)))
  }
}

/** Hadoop's local files, in which a file appears as soon as the file system has found a directory empty. */
class FillingFs extends DirectoryFs("filling") {
  override def pathToFile(path: HadoopPath): File = {
    val file = super.pathToFile(path)
    new File(file.getPath) {
      override def listFiles(): Array[File] = {
        val found = file.listFiles()
        if (found != null && found.isEmpty)
          FillingFs.published :+= Files.createFile(file.toPath.resolve("part"))
        found
      }
    }
  }
}

object FillingFs {

  /** The files that have appeared. */
  var published: Vector[Path] = Vector.empty
}
