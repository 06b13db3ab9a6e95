// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.nio.file.{Files, Path}
import java.nio.file.AccessDeniedException

import scala.collection.mutable

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path => HadoopPath}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.{Errors, StoplogArgumentException}
import stoplog.laws.UnusedFiles
import stoplog.storage.ForeignOwnersSuite.DeniedFiles
import stoplog.storage.VisibleFiles.Scope
import stoplog.storage.hadoop.{HadoopDefaults, TestFileSystems, UnsteadyFs}
import stoplog.storage.local.{LocalFileStore, LocalForcing, LocalUnderTest}

class ForeignOwnersSuite extends AnyFunSuite {
  private val tables = Vector(
    Vector("_stoplog/main/log/0")                                -> "a sink of stoplog",
    Vector("_spark_metadata/0")                                  -> "Spark's file sink",
    Vector("_delta_log/00.json")                                 -> "Delta Lake",
    Vector(".hoodie/hoodie.properties")                          -> "Hudi",
    Vector("_orc_acid_version")                                  -> "Hive",
    Vector("_metadata_acid")                                     -> "Hive",
    Vector("metadata/v1.metadata.json")                          -> "Iceberg",
    Vector("metadata/v1.metadata.json.gz", "metadata/snap.avro") -> "Iceberg",
    Vector("snapshot/LATEST", "manifest/m", "schema/schema-0")   -> "Paimon"
  )

  private val harmless =
    Vector("metadata/notes.json", "snapshot/x", "manifest", "a.delta_log", "base_1/x", "_SUCCESS")

  private def withFiles(names: Seq[String])(body: (String, FileStore) => Unit): Unit = {
    val root = Files.createTempDirectory("stoplog-owners")
    try {
      names.foreach { name =>
        Files.createDirectories(root.resolve(name).getParent)
        Files.createFile(root.resolve(name))
      }
      body(root.toString, store(root))
    } finally LocalUnderTest.remove(root)
  }

  private def store(root: Path): FileStore =
    LocalFileStore.ofSink(root.toString, "main", LocalForcing.Process)

  private def refusal(action: => Unit): String = {
    val refused = intercept[StoplogArgumentException](action)
    assert(refused.getCondition === "STOPLOG_FOREIGN_TABLE")
    refused.getMessage
  }

  private def below(names: Seq[String], ours: OwnTables = OwnTables.AtPath.Log): Unit =
    withFiles(names) { (path, files) =>
      new ForeignOwners(ours).refuseBelow(path, files, new VisibleFiles(files).list(Scope.Whole))
    }

  private def above(path: String, ours: OwnTables = OwnTables.AtPath.Log): Unit =
    new ForeignOwners(ours)
      .refuseAbove(
        path,
        path,
        Storage.above(new HadoopPath(s"file://$path"), new Configuration())
      )

  test("rejects each table format in the path and in each directory below") {
    for {
      (entries, owner) <- tables
      at               <- Seq("", "b/", "b/c=1/") if at.nonEmpty || !owner.contains("stoplog")
    } {
      val message = refusal(below(entries.map(at + _) :+ "a.txt"))
      assert(message.contains(owner) && message.contains(entries.head.takeWhile(_ != '/')), message)
    }
    for (
      write <- Seq(
        "base_0000001",
        "base_0000001_v2",
        "delta_0000001_0000002",
        "delete_delta_0000001_0000001_0000"
      )
    )
      assert(refusal(below(Seq(s"b/$write/bucket_0"))).contains("Hive"))
  }

  test("accepts the path's own log, harmless names and tables outside the listing") {
    below(Seq("_stoplog/main/log/0", "a.txt"))
    below(harmless ++ harmless.map("b/" + _))
    below(Seq("_hidden/_delta_log/0", "_stoplog/main/aside/_delta_log/0"))
  }

  test("rejects each table format in each directory above the path") {
    for {
      (entries, owner) <- tables
      path             <- Seq("data", "data/b")
    }
      withFiles(entries :+ "data/b/a.txt")((root, _) =>
        assert(refusal(above(s"$root/$path")).contains(owner))
      )
    withFiles(Seq("base_0000001/b/a.txt")) { (root, _) =>
      assert(refusal(above(s"$root/base_0000001")).contains("Hive"))
      assert(refusal(above(s"$root/base_0000001/b")).contains("Hive"))
    }
    withFiles(harmless :+ "data/_delta_log/0")((root, _) => above(s"$root/data"))
  }

  test("finds a table above the path although the first look at its directory fails (P-118)") {
    val configuration = TestFileSystems.register(HadoopDefaults.configuration())
    withFiles(Seq("data/_delta_log/0", "data/b/a.txt")) { (root, _) =>
      val path = new HadoopPath(s"unsteady:$root/data/b")
      UnsteadyFs.failing = Some(s"$root/data")
      val message = refusal(
        new ForeignOwners()
          .refuseAbove(path.toString, path.toString, Storage.above(path, configuration))
      )
      assert(message.contains("Delta") && UnsteadyFs.failing.isEmpty)
    }
  }

  test("skips the directories above a path whose scheme has no library") {
    assert(Storage.above(new HadoopPath("nosuch://host/data/b"), new Configuration()).isEmpty)
  }

  test("finds a table among thousands of entries of a directory above") {
    withFiles((0 until 2000).map(n => s"$n") ++ Seq("zz/a.txt", "_delta_log/0")) { (root, _) =>
      assert(refusal(above(s"$root/zz")).contains("Delta"))
    }
    withFiles((0 until 2000).map(n => s"$n") :+ "zz/a.txt")((root, _) => above(s"$root/zz"))
  }

  test("rejects each table format between the path and a directory of a partition") {
    for {
      (entries, owner) <- tables
      at               <- Seq("", "b/") if at.nonEmpty || !owner.contains("stoplog")
    }
      withFiles(entries.map(at + _) :+ "b/c/a.txt") { (path, files) =>
        val owners = new ForeignOwners()
        assert(refusal(owners.refuseBetween(path, files, Vector("b/c"))).contains(owner))
        if (at.nonEmpty) owners.refuseBetween(path, files, Vector("b"))
      }
  }

  test("skips tables that belong to the caller") {
    val attached = OwnTables.AtPath(Set("_stoplog", "_delta_log"))
    below(Seq("_stoplog/main/log/0", "_delta_log/0", "a.txt"), attached)
    assert(refusal(below(Seq("b/_delta_log/0"), attached)).contains("Delta"))
    withFiles(Seq("_delta_log/0", "data/a.txt")) { (root, _) =>
      assert(refusal(above(s"$root/data", attached)).contains("Delta"))
    }
    below(Seq("b/_stoplog/main/log/0"), OwnTables.Formats(Set(TableFormat.Stoplog)))
    assert(
      refusal(below(Seq("b/_delta_log/0"), OwnTables.Formats(Set(TableFormat.Stoplog)))).contains("Delta")
    )
    withFiles(Seq("metadata/v1.metadata.json", "data/a.txt")) { (root, _) =>
      above(s"$root/data", OwnTables.Formats(Set(TableFormat.Iceberg)))
    }
  }

  test("an unreadable directory above counts as without a table, and other failures are reported") {
    val looks                                        = mutable.Buffer.empty[String]
    def look(failure: String => java.io.IOException) =
      new ForeignOwners().refuseAbove(
        "/x/y",
        "/x/y",
        Iterator("/x", "/").map(new DeniedFiles(_, looks, failure))
      )
    look(new AccessDeniedException(_))
    assert(looks === Seq("/x", "/"))
    look(new org.apache.hadoop.security.AccessControlException(_))
    assert(intercept[Exception](look(new java.io.IOException(_))).getMessage.contains("STOPLOG_STORE_WRITE"))
  }
}

private object ForeignOwnersSuite {

  /** The files under a directory in which nothing may be read. */
  final class DeniedFiles(root: String, looks: mutable.Buffer[String], failure: String => java.io.IOException)
      extends UnusedFiles {
    override def describe(path: String): String = root + path

    override def visit(directory: String, prefix: String)(each: FileInfo => Unit): Unit = {
      looks += root
      val denied = failure(root)
      throw Errors.storeWrite("/x/y", denied.getMessage, denied)
    }
  }
}
