// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import java.io.RandomAccessFile
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.attribute.FileTime
import java.nio.file.{Files, Path}
import java.util.concurrent.atomic.AtomicReference
import java.util.zip.CRC32C

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.{DriverNote, DriverTools, Heartbeat, Liveness, ManualClock, SinkSettings}
import stoplog.docs.Repository
import stoplog.fault.Faults
import stoplog.log.{LogRecord, QueryEpoch, RecordNames, SinkState}
import stoplog.options.{RollingOptions, SinkOptions}
import stoplog.part.Open
import stoplog.rolling.RollReason
import stoplog.storage.{Durability, PartLayout, Truncation}
import stoplog.storage.hadoop.HadoopDefaults
import stoplog.storage.local.{LocalFileStore, LocalForcing, LocalUnderTest}

/** Directories with a log, and the judgements on them that Scala and Python have to agree on: `golden/verdicts/sinks`. The
  * Python package runs the same files (`python/tests/test_verdicts.py`).
  */
class VerdictsSuite extends AnyFunSuite {
  private val golden = Repository.root.resolve("scala-core/src/test/resources/golden/verdicts")
  private val mapper = new ObjectMapper()

  for (file <- sorted(golden.resolve("sinks")))
    test(s"${file.getFileName}: Scala and Python judge a directory alike") {
      val root = Files.createTempDirectory("stoplog-verdicts")
      try judge(root, mapper.readTree(Repository.read(file)))
      finally LocalUnderTest.remove(root)
    }

  test("names of unfinished files map to the expected tokens, pending paths and finished paths") {
    for (each <- elements(mapper.readTree(Repository.read(golden.resolve("names.json"))))) {
      val layout: PartLayout = each.get("layout") match {
        case null   => PartLayout.Staging("main")
        case layout =>
          def word(name: String) = layout.get(name).asText
          PartLayout.InBucket(
            each.path("sinkId").asText("main"),
            word("inProgressPrefix"),
            word("inProgressSuffix"),
            word("pendingPrefix"),
            word("pendingSuffix")
          )
      }
      val path = each.get("path").asText
      assert(layout.tokenOf(path) === optional(each, "token"), path)
      assert(layout.pending(path) === optional(each, "pending"), path)
    }
  }

  test("the kind of a log is recognized alike") {
    for (each <- elements(mapper.readTree(Repository.read(golden.resolve("kinds.json"))))) {
      val settings = fields(each.get("settings")).map { case (key, value) => key -> value.asText }.toMap
      val state    =
        SinkState(QueryEpoch(each.get("queryId").asText, None), Vector.empty, nextPart = 0, settings)
      val found = state.queryId == SinkState.NextQuery || SinkSettings.isOfFiles(state)
      assert(found === each.get("isOfFiles").asBoolean, each)
    }
  }

  test("a driver note is read or ignored alike") {
    for (each <- elements(mapper.readTree(Repository.read(golden.resolve("notes.json"))))) {
      val read = DriverNote.read(each.get("text").asText).map(_.text)
      assert(read === optional(each, "read"), each)
    }
  }

  test("a crash while creating a file leaves a recognizable draft") {
    val golden = mapper.readTree(Repository.read(this.golden.resolve("sinks/unfinished-in-staging.json")))
    val drafts = fields(golden.get("findings")).collect {
      case (path, kind) if kind.asText == "draft-left" => path
    }
    val uuid = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    val root = Files.createTempDirectory("stoplog-drafts")
    try {
      val files = LocalFileStore.ofSink(root.toString, "main", LocalForcing.Process)
      for (path <- Seq("a/_SUCCESS", s"_stoplog/main/log/${RecordNames.name(6)}")) {
        val made = new AtomicReference(Vector.empty[String])
        files.createIfAbsent(path)(_ => made.set(files.names("_stoplog/main/open")))
        val known = drafts.map(_.replaceFirst(".*/", "").replaceFirst(uuid, "UUID"))
        assert(made.get.map(_.replaceFirst(uuid, "UUID")).diff(known) === Vector.empty, path)
        assert(made.get.nonEmpty)
      }
    } finally LocalUnderTest.remove(root)
  }

  private def judge(root: Path, golden: JsonNode): Unit = {
    val now   = golden.get("nowMillis").asLong
    val files = fields(golden.get("files"))
    files.foreach { case (path, file) => write(root.resolve(path), file.get(0).asLong, file.get(1).asLong) }
    writeRecord(root, golden)
    val clock   = new ManualClock(now)
    val storage = SinkContext.SinkContextStorage.of(
      root.toString,
      "main",
      Truncation.Allowed,
      HadoopDefaults.configuration(),
      Durability.Process
    )
    val admin = new SinkAdmin(
      new SinkContext(root.toString, "main", storage, DriverTools.of(clock, Faults.none))
    )
    // Written here, so that the clock of the files is that of the case.
    files.foreach { case (path, file) => touch(root.resolve(path), file.get(1).asLong) }

    Option(golden.get("driver")).foreach { driver =>
      val there  = Option(golden.get("processIsThere")).filterNot(_.isNull).map(_.asBoolean)
      val newest = storage.log.newest()
      val found  =
        Liveness.of(newest, newest.toVector.flatMap(r => Heartbeat.signs(storage.notes, "main", r.seq)), now)(
          _ => there
        )
      assert(found.productPrefix.toLowerCase === driver.get("state").asText)
      assert(found.describe === driver.get("message").asText)
    }
    Option(golden.get("unfinished")).foreach { expected =>
      val found = admin.clean().actions.collect {
        case AdminAction.Remove(subject, _)                                     => subject -> "orphan"
        case AdminAction.Keep(subject, why) if why.startsWith("its writer may") => subject -> "young"
        case AdminAction.Restore(subject, _)                                    => subject -> "returns"
        case AdminAction.Keep(subject, _)                                       => subject -> "named"
      }
      assert(found.toMap === fields(expected).map { case (path, verdict) => path -> verdict.asText }.toMap)
    }
    Option(golden.get("parts")).foreach { expected =>
      val found = admin.relocate().actions.collect { case AdminAction.Found(subject, verdict, _) =>
        subject -> verdict.word
      }
      assert(found.toMap === fields(expected).map { case (path, verdict) => path -> verdict.asText }.toMap)
    }
    Option(golden.get("rolls")).foreach { expected =>
      val newest = storage.log.newest().get
      for ((path, roll) <- fields(expected))
        rolls(newest, newest.state.open.find(_.finishedPath == path).get, roll, now)
    }
  }

  /** Asks the policy at and before the time that is told. */
  private def rolls(newest: LogRecord, part: Open, roll: JsonNode, now: Long): Unit = {
    val noted  = newest.state.settings.filter { case (key, _) => RollingOptions.keys.contains(key) }
    val policy = SinkOptions.parse(Map("path" -> "/p", "format" -> "json") ++ noted).rolling.policy
    val reason = optional(roll, "reason")
    def says(found: Option[RollReason]) = found.map(_.word)
    reason match {
      case Some("checkpoint") =>
        assert(says(policy.beforeRow(part, now)) === None)
        assert(says(policy.onEpochEnd(part, now)) === reason)
      case Some("size" | "records") => assert(says(policy.beforeRow(part, now)) === reason)
      case Some(_)                  =>
        val at = roll.get("atMillis").asLong
        assert(says(policy.beforeRow(part, now)) === None)
        assert(says(policy.onTime(part, at - 1)) === None)
        assert(says(policy.onTime(part, at.max(now))) === reason)
      case None =>
        assert(says(policy.beforeRow(part, now)) === None)
        assert(says(policy.onTime(part, now + 100L * 365 * 24 * 3600 * 1000)) === None)
    }
  }

  private def writeRecord(root: Path, golden: JsonNode): Unit = {
    val record = golden.get("record")
    if (!record.isNull) {
      val body = mapper.writeValueAsString(record)
      val crc  = new CRC32C()
      crc.update(body.getBytes(UTF_8))
      val bytes = s"""{"version":1,"crc32c":"${"%08x".format(
          crc.getValue
        )}","record":$body}"""
      val name = "%020d".format(record.get("seq").asLong)
      val log  = Files.createDirectories(root.resolve("_stoplog/main/log"))
      for (before <- record.get("seq").asLong - 99 until record.get("seq").asLong if before >= 0)
        Files.createFile(log.resolve(f"$before%020d.commit")) // a trimmed log keeps as many
      Files.writeString(log.resolve(s"$name.commit"), bytes)
      val written = Option(golden.get("recordModifiedMillis")).getOrElse(record.get("writtenAtMillis"))
      touch(log.resolve(s"$name.commit"), written.asLong)
      if (golden.path("published").asBoolean) Files.createFile(log.resolve(s"$name.published"))
    }
  }

  /** As many bytes, all of them 0. */
  private def write(file: Path, bytes: Long, modifiedMillis: Long): Unit = {
    Files.createDirectories(file.getParent)
    val out = new RandomAccessFile(file.toFile, "rw")
    try out.setLength(bytes)
    finally out.close()
    touch(file, modifiedMillis)
  }

  private def touch(file: Path, millis: Long): Unit = {
    Files.setLastModifiedTime(file, FileTime.fromMillis(millis))
    ()
  }

  private def sorted(directory: Path): Seq[Path] = {
    val listed = Files.list(directory)
    try listed.iterator.asScala.toVector.sorted
    finally listed.close()
  }

  private def elements(array: JsonNode): Seq[JsonNode] = array.elements.asScala.toVector

  private def fields(node: JsonNode): Seq[(String, JsonNode)] =
    node.fieldNames.asScala.map(name => name -> node.get(name)).toVector

  private def optional(node: JsonNode, field: String): Option[String] =
    Option(node.get(field)).filterNot(_.isNull).map(_.asText)
}
