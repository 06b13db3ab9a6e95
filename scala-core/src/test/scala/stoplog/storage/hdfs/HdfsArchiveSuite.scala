// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hdfs

import java.io.IOException

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import stoplog.storage.hadoop.HadoopSourceFiles

/** The start of a source tries whether its files can be archived. */
class HdfsArchiveSuite extends AnyFunSuite {

  test("an archive to which the input's files cannot be renamed is rejected, and no trial stays") {
    val tampering = new Tampering {
      override def rename(from: Path, to: Path)(really: => Unit): Unit =
        throw new IOException(s"$from can't be moved from an encryption zone.")
    }
    problem(tampering) { (found, storage) =>
      assert(found.exists(_.contains("encryption zone")))
      assert(storage.visible() === Set("in/one.txt"))
    }
  }

  test("an archive to which the input's files can be renamed is accepted, and no trial stays") {
    problem(new Tampering {}) { (found, storage) =>
      assert(found.isEmpty && storage.visible() === Set("in/one.txt"))
    }
  }

  private def problem(tampering: Tampering)(check: (Option[String], HdfsUnderTest) => Any): Unit = {
    val storage = HdfsUnderTest.create()
    try {
      storage.plant("in/one.txt", "row".getBytes)
      val archive = new Path(s"${storage.root}/archive").toUri.getPath
      check(new HadoopSourceFiles(TamperedHdfs.files(storage, tampering)).moveProblem(archive), storage)
      ()
    } finally storage.close()
  }
}
