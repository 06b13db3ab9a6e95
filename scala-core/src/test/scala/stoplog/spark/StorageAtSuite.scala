// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import stoplog.checkpoint.CheckpointPlace
import stoplog.filesource.SourceRoot
import stoplog.stores.SinkStorage
import stoplog.error.StoplogArgumentException
import stoplog.format.SparkSessionForTests
import stoplog.laws.Copied
import stoplog.log.LogFiles
import stoplog.options.SparkHadoop
import stoplog.rolling.{DefaultRollingPolicy, PartStats, RollReason}
import stoplog.storage._
import stoplog.storage.hadoop.HadoopStorage
import stoplog.storage.hdfs.HdfsUnderTest
import stoplog.storage.local.LocalStorage

import stoplog.storage.{Durability, PartLayout, Truncation}
import stoplog.storage.hadoop.{TestFileSystems, TriedFs}
import stoplog.storage.hdfs.HdfsStorage

/** Which stores a path gets. */
class StorageAtSuite extends AnyFunSuite with SparkSessionForTests {

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    TestFileSystems.register(spark.sparkContext.hadoopConfiguration)
    ()
  }

  private def place(path: String): Storage =
    Storage.at(path, StorageSettings(Durability.Disk, Truncation.Allowed, SparkHadoop.configuration))

  test("a path without a scheme or with file: is on the local disk") {
    assert(place("/data/out").isInstanceOf[LocalStorage])
    assert(place("file:/data/out").isInstanceOf[LocalStorage])
  }

  test("a viewfs mount that leads to HDFS is HDFS, whether the path exists or not") {
    val storage = HdfsUnderTest.create()
    try {
      val configuration = spark.sparkContext.hadoopConfiguration
      configuration.set("fs.viewfs.mounttable.tests.link./data", storage.root)
      for (below <- Seq("", "/not/there/yet"))
        place(s"viewfs://tests/data$below") match {
          case hdfs: HdfsStorage => assert(hdfs.uri("").toString === s"${storage.root}$below")
          case other             => fail(s"$other")
        }
    } finally storage.close()
  }

  test("a source's state on a viewfs mount is on the mounted file system, which is not probed") {
    val storage = HdfsUnderTest.create()
    try {
      val configuration = spark.sparkContext.hadoopConfiguration
      configuration.set("fs.viewfs.mounttable.state.link./data", storage.root)
      val state = Storage.state("viewfs://state/data/checkpoint/sources/0", configuration)
      assert(state.describe("0") === s"${storage.root}/checkpoint/sources/0/0")
      assert(state.putIfAbsent("0", Array[Byte](1)) === PutOutcome.Created)
      assert(state.putIfAbsent("0", Array[Byte](2)) === PutOutcome.Taken)
      assert(state.names("") === Vector("0"))
    } finally storage.close()
  }

  test("the input of a source on a viewfs mount keeps the path of the user") {
    val storage = HdfsUnderTest.create()
    try {
      val configuration = spark.sparkContext.hadoopConfiguration
      configuration.set("fs.viewfs.mounttable.input.link./data", storage.root)
      storage.plant("in/one.txt", Array[Byte](1, 2))
      val input = Storage.input(new Path("viewfs://input/data/in"), Vector(""), configuration)
      assert(input.find("one.txt").isDefined)
      assert(input.describe("one.txt") === "viewfs://input/data/in/one.txt")
      assert(input.move("one.txt", "/data/done/one.txt") === MoveOutcome.Moved)
      assert(storage.bytes("done/one.txt").toSeq === Seq(1, 2))
    } finally storage.close()
  }

  test(
    "a checkpoint below a mounted sink, or below a mounted input, is found by the path without the mount"
  ) {
    val storage = HdfsUnderTest.create()
    try {
      val configuration = spark.sparkContext.hadoopConfiguration
      configuration.set("fs.viewfs.mounttable.found.link./data", storage.root)
      for (
        (path, location) <- Seq(
          "viewfs://found/data/out" -> s"${storage.root}/out/checkpoint",
          s"${storage.root}/out"    -> "viewfs://found/data/out/checkpoint"
        )
      ) {
        val refused =
          intercept[StoplogArgumentException](CheckpointPlace.refuse(path, location, configuration))
        assert(refused.getCondition === "STOPLOG_CHECKPOINT_IN_SINK")
        val below = SourceRoot.of(Vector(path)).pathOf(location, new Path(location))
        assert(below === Some("checkpoint"))
      }
      CheckpointPlace.refuse("viewfs://found/data/out", s"${storage.root}/checkpoint", configuration)
    } finally storage.close()
  }

  test("a file system that recovers leases, but cannot append, is not taken for HDFS") {
    val configuration = spark.sparkContext.hadoopConfiguration
    val state         = Storage.state(s"${TestFileSystems.directory("leased")}/state", configuration)
    assert(state.putIfAbsent("0", Array[Byte](1)) === PutOutcome.Created)
    assert(state.putIfAbsent("0", Array[Byte](2)) === PutOutcome.Taken)
  }

  test("the state of a source is sent to executors, also if nothing was created before") {
    val configuration = spark.sparkContext.hadoopConfiguration
    for (scheme <- Seq("cutting", "createonly", "leased")) {
      val state = Storage.state(s"${TestFileSystems.directory(scheme)}/state", configuration)
      assert(Copied(state).putIfAbsent("0", Array[Byte](1)) === PutOutcome.Created, scheme)
      assert(Copied(state).putIfAbsent("0", Array[Byte](2)) === PutOutcome.Taken, scheme)
      assert(state.read("0").map(_.toSeq) === Some(Seq[Byte](1)), scheme)
    }
  }

  test("the state of a source is probed once, before the first file (P-123)") {
    val directory = s"${TestFileSystems.directory("tried")}/state"
    val state     = Storage.state(directory, spark.sparkContext.hadoopConfiguration)
    assert(TriedFs.trials(directory) === 0)
    val copies = Vector.fill(2)(Copied(state))
    assert(state.putIfAbsent("0", Array[Byte](1)) === PutOutcome.Created)
    val once = TriedFs.trials(directory)
    assert(once > 0)
    for ((copy, name) <- (copies :+ Copied(state)).zip(Seq("1", "2", "4")))
      assert(copy.putIfAbsent(name, Array[Byte](1)) === PutOutcome.Created)
    assert(state.mark("3") === PutOutcome.Created)
    assert(TriedFs.trials(directory) === once)
  }

  test("other file systems are probed later, and nothing is written before") {
    val directory = TestFileSystems.directory("lastwins")
    val there     = place(directory)
    there.refuseUnfit()
    assert(there.isInstanceOf[HadoopStorage])
    assert(there.files("main").names(SinkDirectory.Root).isEmpty)
    assert(new LogFiles(there.files("main"), "main").list().isEmpty)
  }

  test("executors reuse the driver's findings and do not probe again") {
    val there = place(TestFileSystems.directory("createonly"))
    val said  = LogCapture.of(there.probe("main", PartLayout.Staging("main")))
    assert(said.count(_.contains("cannot append to a file")) === 1)
    val again = LogCapture.of(Copied(there).parts("main", PartLayout.Staging("main")))
    assert(!again.exists(_.contains("cannot append to a file")))
  }

  test("a policy closes parts by event times on every file system") {
    val asked = DefaultRollingPolicy().withEventTimeIntervalMillis(1000)
    val part  = new PartStats {
      override def bucket: String                     = "b"
      override def sizeBytes: Long                    = 10
      override def records: Long                      = 1
      override def openedAtMillis: Long               = 0
      override def lastWrittenAtMillis: Long          = 0
      override def firstEventTimeMillis: Option[Long] = Some(5000)
    }
    for (path <- Seq("/data/out", TestFileSystems.directory("lastwins"))) {
      val policy = SinkStorage.plain(path, "main", Durability.Disk, SparkHadoop.configuration).policy(asked)
      assert(policy.onEventTime(part, 6000) === Some(RollReason.EventTime), path)
      assert(policy.onEventTime(part, 5999) === None, path)
    }
  }

  test("rejects a bucket with upload purging before the bucket is opened") {
    val configuration = spark.sparkContext.hadoopConfiguration
    val key           = "fs.s3a.bucket.nowhere.multipart.purge"
    configuration.set(key, "true")
    try {
      val refused = intercept[StoplogArgumentException](place("s3a://nowhere/data"))
      assert(refused.getCondition === "STOPLOG_UPLOAD_PURGE")
    } finally configuration.unset(key)
  }

  test("rejects a scheme without a Hadoop class by name") {
    val refused = intercept[StoplogArgumentException](place("nosuch://host/data"))
    assert(refused.getCondition === "STOPLOG_JAR_MISSING")
  }
}
