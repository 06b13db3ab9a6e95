// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hdfs

import java.io.IOException

import org.apache.hadoop.fs.{FileAlreadyExistsException, Path}
import org.apache.hadoop.hdfs.DistributedFileSystem
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogArgumentException
import stoplog.log.LogFiles
import stoplog.part.RunId
import stoplog.sink.CommitOutcome
import stoplog.storage.hadoop.{HadoopDefaults, HadoopFiles, HadoopSettings, Trimming}
import stoplog.storage.{NewPart, PartLayout, PutOutcome}

/** What cannot work is refused at the start. */
class HdfsProbeSuite extends AnyFunSuite {

  private val layouts = Seq(
    "staging"  -> PartLayout.Staging("main"),
    "inBucket" -> PartLayout.InBucket("main", "_", ".in-progress", "_", ".pending")
  )

  test("the probe accepts missing truncation if parts are never truncated") {
    withStorage { storage =>
      val tampering = new Tampering {
        override def truncate(path: Path, bytes: Long)(really: => Boolean): Boolean =
          throw new UnsupportedOperationException("truncate")
      }
      HdfsUnderTest.parts(TamperedHdfs.files(storage, tampering), trimming = Trimming.ValidLength).probe()
    }
  }

  for ((name, layout) <- layouts) {
    test(s"$name: the probe leaves a suitable place unchanged") {
      withStorage { storage =>
        store(TamperedHdfs.files(storage, new Tampering {}), layout).probe()
        assert(storage.partStore().staged().isEmpty && storage.visible().isEmpty)
      }
    }

    test(s"$name: rejects missing append, missing truncate and truncate without effect") {
      refused(
        layout,
        new Tampering {
          override def beforeAppend(path: Path): Unit = throw new IOException("no appending here")
        },
        "no appending here"
      )
      refused(
        layout,
        new Tampering {
          override def truncate(path: Path, bytes: Long)(really: => Boolean): Boolean =
            throw new UnsupportedOperationException("truncate")
        },
        "its file system cannot do it (truncate)"
      )
      refused(
        layout,
        new Tampering {
          override def truncate(path: Path, bytes: Long)(really: => Boolean): Boolean = true
        },
        "has 2 after a cut to 0"
      )
    }

    test(s"$name: rejects a directory without renames out, or with renames that replace files") {
      refused(
        layout,
        new Tampering {
          override def rename(from: Path, to: Path)(really: => Unit): Unit =
            throw new IOException(s"$from can't be moved into an encryption zone.")
        },
        "encryption zone"
      )
      refused(
        layout,
        new Tampering {
          override def rename(from: Path, to: Path)(really: => Unit): Unit =
            try really
            catch { case _: FileAlreadyExistsException => () }
        },
        "replaces a file that has the name"
      )
    }

    test(s"$name: rejects a mount that checks the target only in the cluster of the source") {
      refused(
        layout,
        new Tampering {
          private var first = Option.empty[String]

          override def rename(from: Path, to: Path)(really: => Unit): Unit = {
            first = first.orElse(Some(from.getName))
            try really
            catch { case _: FileAlreadyExistsException if !first.contains(from.getName) => () }
          }
        },
        "replaces a file that has the name"
      )
    }

    test(s"$name: rejects a missing class for renames without overwriting") {
      withStorage { storage =>
        val configuration = HdfsUnderTest.configuration()
        configuration.set("fs.AbstractFileSystem.hdfs.impl", "no.such.Class")
        refused(new HadoopFiles(storage.root, new HadoopSettings(configuration)), layout, "no.such.Class")
      }
    }

    test(s"$name: in an erasure-coded directory, files are written replicated") {
      withStorage { storage =>
        codeErasures(storage.root)
        val files = new HadoopFiles(storage.root, new HadoopSettings(HdfsUnderTest.configuration()))
        store(files, layout).probe()
        val output = store(files, layout).create(NewPart("b", "part-1.txt", run))
        output.write("one\n".getBytes, 0, 4)
        val resumed = store(files, layout).resume(output.persist(), 4)
        resumed.write("two\n".getBytes, 0, 4)
        assert(store(files, layout).publish(resumed.finish(), 8, "b/part-1.txt") === CommitOutcome.Committed)
        assert(new String(storage.bytes("b/part-1.txt")) === "one\ntwo\n")
        val records = new LogFiles(HdfsStorage.HdfsFileStore.ofSink(files, "main"), "main")
        assert(records.putIfAbsent(0, "record".getBytes) === PutOutcome.Created)
        assert(records.read(0).map(new String(_)) === Some("record"))
      }
    }
  }

  private val run = RunId("11111111-1111-4111-8111-111111111111")

  private def refused(layout: PartLayout, tampering: Tampering, why: String): Unit = withStorage { storage =>
    refused(TamperedHdfs.files(storage, tampering), layout, why)
    assert(storage.partStore().staged().isEmpty)
  }

  private def refused(files: HadoopFiles, layout: PartLayout, why: String): Unit = {
    val refusal = intercept[StoplogArgumentException](store(files, layout).probe())
    assert(refusal.getCondition === "STOPLOG_PATH_NOT_WRITABLE")
    assert(refusal.getMessage.contains(why))
  }

  private def store(files: HadoopFiles, layout: PartLayout) = HdfsUnderTest.parts(files, layout = layout)

  private def codeErasures(root: String): Unit = {
    val path   = new Path(root)
    val system = path.getFileSystem(HadoopDefaults.configuration()).asInstanceOf[DistributedFileSystem]
    system.enableErasureCodingPolicy(Policy)
    system.setErasureCodingPolicy(path, Policy)
  }

  private val Policy = "XOR-2-1-1024k"

  private def withStorage(body: HdfsUnderTest => Unit): Unit = {
    val storage = HdfsUnderTest.create()
    try body(storage)
    finally storage.close()
  }
}
