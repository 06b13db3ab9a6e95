// SPDX-License-Identifier: Apache-2.0
package stoplog.error

import java.io.IOException
import java.nio.file.{
  AccessDeniedException, DirectoryNotEmptyException, FileAlreadyExistsException, FileSystemException,
  NoSuchFileException, NotDirectoryException
}

import org.apache.spark.SparkThrowable

class ErrorsSuite extends ConditionRules(Some(Conditions.url), ErrorsSuite.one) {
  import ErrorsSuite._

  test("error classes do not override defaults missing in older Spark lines") {
    for (made <- Seq(classOf[StoplogException], classOf[StoplogArgumentException])) {
      val own = made.getDeclaredMethods.map(_.getName).toSet
      assert(own.intersect(Set("getBreakingChangeInfo", "isInternalError", "getQueryContext")) === Set.empty)
    }
  }

  test("invalid options are listed with a problem per line") {
    val message = Errors.invalidOptions(Seq("First.", "Second.")).getMessage
    assert(message.contains("(2):\n  - First.\n  - Second.\n"))
  }

  test("errors of usage are IllegalArgumentExceptions, and errors at run time are not") {
    val running = Set("STOPLOG_NULL_VALUE", "STOPLOG_STORE_WRITE", "STOPLOG_FENCED", "STOPLOG_FOREIGN_QUERY")
    val asked   = Set("STOPLOG_INVALID_OPTIONS", "STOPLOG_ROW_COLUMNS", "STOPLOG_USER_CODE")
    val (arguments, failures) = one.partition {
      case _: IllegalArgumentException => true
      case _                           => false
    }
    assert(asked.subsetOf(arguments.map(_.getCondition).toSet))
    assert(running.subsetOf(failures.map(_.getCondition).toSet))
  }

  test("a cause is kept, and may be absent") {
    assert(Errors.storeWrite("p", "w", cause).getCause eq cause)
    assert(Errors.userCode("encoder", "X", "no", null).getCause == null)
  }

  test("a failure of a file has a reason, even if only the class of the exception tells the reason") {
    val reasons = Seq(
      new AccessDeniedException("/out/x")                            -> "/out/x: permission denied",
      new NoSuchFileException("/out/x")                              -> "/out/x: no such file or directory",
      new FileAlreadyExistsException("/out/x")                       -> "/out/x: the file exists",
      new DirectoryNotEmptyException("/out/x")                       -> "/out/x: the directory is not empty",
      new NotDirectoryException("/out/x")                            -> "/out/x: it is not a directory",
      new FileSystemException("/out/x", null, "Disk quota exceeded") -> "/out/x: Disk quota exceeded"
    )
    for ((e, text) <- reasons) {
      assert(Causes.message(e) === text)
      assert(Causes.reason(new java.io.IOException("outer", e)) === text)
      assert(Causes.brief(e) === text)
    }
  }

  test("the SQLSTATE of a cause is removed from the message") {
    val nested = "[UNRESOLVED_COLUMN] No column x. SQLSTATE: 42703; line 1 pos 5;.. SQLSTATE: 42000"
    val error  = Errors.bucketExpression("x", nested)
    assert("SQLSTATE".r.findAllIn(error.getMessage).size === 1, error.getMessage)
    assert(error.getMessage.contains("[UNRESOLVED_COLUMN] No column x.; line 1 pos 5"))
  }

  test("a row without a bucket is reported for an unknown bucket") {
    assert(
      Errors.badRow(None, cause).getMessage.contains("A row for an unknown bucket cannot be written: No")
    )
    assert(
      Errors.badRow(Some("b"), cause).getMessage.contains("A row for the bucket 'b' cannot be written: No")
    )
  }

  test("a value resembling a parameter is not substituted") {
    assert(Errors.textSchema("struct<a:${x}><why>").getMessage.contains("struct<a:${x}><why>"))
  }
}

object ErrorsSuite {

  val cause = new IOException("No space left on device")

  val one: Seq[Throwable with SparkThrowable] = Seq(
    Errors.invalidOptions(Seq("a is wrong.", "b is wrong.")),
    Errors.textSchema("struct<a:int>"),
    Errors.compactionIncomplete(Seq("/x/part-1.orc", "/x/part-2.orc"), reported = 200, written = 0),
    Errors.nullValue("value"),
    Errors.nullWritable("value"),
    Errors.unreadableRow("csv", "readers skip a line of blanks"),
    Errors.sequenceSchema("struct<a:int,b:int,c:int>"),
    Errors.codecUnavailable("sequencefile", "gzip", "it needs native code", cause),
    Errors.unsupportedType("csv", "tags", "array<string>"),
    Errors.sourcePathChanged("file:/data/2025", "file:/data/2026", "/checkpoint/sources/0/identity"),
    Errors.tableColumns("stoplog /data/out", Seq("the table has no column b"), "a INT"),
    Errors.columnName("avro", "a.b", "it has a dot in it"),
    Errors.nullRequired("id"),
    Errors.badRow(Some("b"), cause),
    Errors.batchDecided("batch-1", "/data/out", Errors.storeWrite("/data/out/b/part-1", "503", cause)),
    Errors.batchPartly("orders", cause),
    Errors.batchCalledOff("batch-1", "/data/out", "a file cannot be hidden"),
    Errors.partitionCondition("/data/out", "id = 1", "id is not a partition column"),
    Errors.rowOutsideOverwrite("/data/out", "day=2026-01-04"),
    Errors.batchUnknown(
      "batch-1",
      "/data/out",
      "_stoplog/replace/log/0.commit",
      Errors.unknownOutcome("/data/out/_stoplog", "503", cause)
    ),
    AnnounceErrors.backlog("/data/out", "hook", 1001, Some("HTTP 503")),
    AnnounceErrors.positionOfOther("/data/out", "hook", "main/1-2/7/0", "3-4"),
    AnnounceErrors.positionAhead("/data/out", "hook", "main/1-2/7/0", 5),
    AnnounceErrors.positionLost("/data/out", "hook", 5),
    AnnounceErrors.undelivered("/data/out", "hook", 7, None),
    AnnounceErrors.refused("/data/out", "hook", "main/1-2/7/0", "HTTP 400"),
    Errors.bucketId("/x", "it leaves the path."),
    Errors.bucketExpression("rand()", "it is not deterministic"),
    Errors.partitionColumns("there is no column 'day'"),
    Errors.bucketColumn("hour", "it is a string"),
    Errors.eventTimeColumn("at", "there is no such column"),
    Errors.eventTimeMissing(),
    Errors.bucketFormat("qqqq q", "unknown letter"),
    Errors.pathMissing(),
    Errors.checkpointInSink("/data/out", "/data/out/checkpoint", "readers would read its files as data"),
    Errors.logLocation(),
    Errors.pathNotWritable("/data/out", "permission denied"),
    Errors.notAStoplogQuery("clicks"),
    Errors.unsupportedTrigger("continuous"),
    Errors.unsupportedOutputMode("complete"),
    Errors.asyncProgress(),
    Errors.connectorVersion("stoplog-jdbc", "0.1.0", "0.2.0"),
    StartErrors.foreignQuery("/data/out", "main", "q-1", "q-2", "It starts at batch 3"),
    StartErrors.epochReplanned("/data/out", "main", 7L, "epoch 7"),
    StartErrors.epochGap("/data/out", "main", Some(7L), 10L),
    StartErrors.epochAhead("/data/out", "main", 7L, 3L, "epochs 3 to 7"),
    PythonErrors.failed(PythonErrors.Call("Shop", "commit", "in epoch 7"), "OSError: full", "Traceback"),
    PythonErrors.timeout(PythonErrors.Call("Shop", "commit"), 300000L),
    PythonErrors.ended(PythonErrors.Call("Shop", "commit"), "status 139"),
    PythonErrors.start("/usr/bin/python4", "ended with status 1"),
    PythonErrors.version("/usr/bin/python3", "3.12", "3.10"),
    PythonErrors.load("Shop", "/usr/bin/python3", "No module named 'shop'", ""),
    PythonErrors.forbidden("Shop", "spark.stoplog.pythonOnDriver=false"),
    KindErrors.logOfAnotherKind("/data/out", "main", "files", "kafka"),
    Errors.settingsChanged("timeZone", "UTC", "Europe/Berlin", "/data/out"),
    Errors.schemaChanged("/data/out", "main", "fail", "removed: word"),
    Errors.fenced("/data/out", "main", 12L, "run r-2"),
    Errors.driverAlive("/data/out", "main", "the last heartbeat of run r-2 is 3 s old"),
    Errors.sinkUnknown("/data/out", "other", Seq("main")),
    Errors.checkpointUnreadable("/data/checkpoint", new java.io.IOException("the disk does not answer")),
    Errors.notRewindable("/data/out", "main", 3L, "its record is gone"),
    Errors.recordTorn("/data/out/_stoplog/main/log/1.commit", "the checksum differs"),
    Errors.recordTooNew("/data/out/_stoplog/main/log/1.commit", 9, 1),
    Errors.partLost("/data/out/b/part-1", "/data/out/_stoplog/main/open/b/.part-1", "b", 5L),
    Errors.partShort("/data/out/b/part-1", 5L, 9L),
    Errors.partShared("/data/out/b/part-1", 9L, 5L),
    Errors.recordElsewhere("/data/out/_stoplog/main/log/1.commit", "it is absolute"),
    Errors.pathElsewhere("/data/out", "/etc/passwd", "it is absolute"),
    Errors.nameTaken("/data/out/b/part-1", "it has 3 bytes, not 9"),
    Errors.storeWrite("/data/out/b/part-1", cause.getMessage, cause),
    Errors.fileNotPermitted("/data/in/a", "Permission denied", cause),
    Errors.tooManyOpenFiles("/data/in/a", "Too many open files", cause),
    Errors.staleFileHandle("/data/in/a", "Stale file handle", cause),
    Errors.fileIo("/data/in/a", "Input/output error", cause),
    Errors.sourceArchive("/data/in", "/archive", "they are on two disks"),
    Errors.unknownOutcome("/data/out/b/part-1", "timed out", cause),
    RequestErrors.unreachable("The database d", "timed out", "url and password", cause),
    RequestErrors.failed("The table t cannot be written", "timed out", "No row is lost", cause),
    RequestErrors.ownTable("t", "permission denied", "with CREATE TABLE", "set epochTable", cause),
    RowErrors.rowsLost("micro-batch 7", "2 rows", "Check the target", "onLostPart"),
    Errors.userCode("encoder", "com.example.Nope", "no such class", new ClassNotFoundException("Nope")),
    Errors.bulkWriterUnknown("com.example.Columns", "it was given as an instance", null),
    Errors.viewUnknown("files"),
    Errors.notCompactable("/data/out", "the directory does not exist"),
    Errors.foreignTable("/data/out", "/data/out/b", "_delta_log", "Delta Lake"),
    Errors.sourcePath("/data/in", "no such file or directory"),
    Errors.sourceSchema("json"),
    Errors.sourceFenced("/ck/sources/0/splits/0.splits"),
    Errors.sourceStateLost("/ck/sources/0", 7L),
    Errors.sourceFileGone("/data/in/a", "9 bytes of 2026-11-26T10:00:00Z", cause),
    Errors
      .sourceFileChanged("/data/in/a", "9 bytes of 2026-11-26T10:00:00Z", "5 bytes of 2026-11-26T11:00:00Z"),
    Errors.sourceFileGrown("/data/in/a.gz", 5L, 9L),
    Errors.sourceCompactedPart("/data/in/part-1-m0.json"),
    Errors.sourceReplacedPart("/data/in/part-1-r0.json"),
    Errors.sourceAway("/data/in", "the directory lists no file, and files were read there", 180000L),
    Errors.sourceLink("/data/in/link", "it points to /secret"),
    Errors.sourceFileSettings("/data/in/a", "the class x.Codec was not found", cause),
    Errors.sourceFileUnreadable("/data/in/a", "byte 7", "it ends in the middle", cause),
    Errors.distributionUnsupported("0 writers"),
    Errors.storeUnsupported("gs://b/out", "gs"),
    Errors.storeNotExclusive("ftp://host/out", "ftp"),
    Errors.hadoopAws("s3a://b/out", "3.5.0", "the jar is missing"),
    Errors.uploadLost("s3a://b/out/b/part-1", 8388608L),
    Errors.uploadPurge("s3a://b/out", "fs.s3a.multipart.purge"),
    Errors.networkFileSystem("/mnt/out", "worker-1", "driver-1"),
    Errors.otherOwner("/data/out", "main", "spark", "root"),
    Errors.storageHangs("Sink main under /data/out", 60000),
    Errors.placeChanged("/data/out/_stoplog/main/log/00000000000000000003.commit"),
    Errors.logGap("/data/out", "main", "/data/out/_stoplog/main/log/00000000000000000003.commit", 2, 100),
    Errors.pathNotShared(
      "/data/out",
      "a.commit",
      "driver-1, the driver's host",
      "worker-1, the host of a task"
    )
  )
}
