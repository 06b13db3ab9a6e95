// SPDX-License-Identifier: Apache-2.0
package stoplog.error

/** Every error of stoplog, by name. Only this object creates these exceptions.
  *
  * Each constructor fills the sentence of one condition in `error/stoplog-error-conditions.json`. The
  * constructors return the exception and do not throw, so that the compiler sees the `throw`.
  */
object Errors extends ErrorMaker with ColumnErrors with JobErrors with PlaceErrors with UnsupportedErrors {

  // Requests that cannot be met.

  /** @param why a clause whose subject is the checkpoint */
  def checkpointInSink(path: String, checkpoint: String, why: String): StoplogArgumentException =
    argument("STOPLOG_CHECKPOINT_IN_SINK", "path" -> path, "checkpoint" -> checkpoint, "why" -> reason(why))

  def pathNotWritable(path: String, why: String): StoplogArgumentException =
    argument("STOPLOG_PATH_NOT_WRITABLE", "path" -> path, "why" -> reason(why))

  def storeUnsupported(path: String, scheme: String): StoplogArgumentException =
    jarMissing(
      s"The path $path",
      s"the library of the file system $scheme",
      "Hadoop has no class for the scheme of the path, or the path is misspelled",
      cause = null
    )

  def storeNotExclusive(path: String, scheme: String): StoplogArgumentException =
    argument("STOPLOG_STORE_NOT_EXCLUSIVE", "path" -> path, "scheme" -> scheme)

  /** @param hadoop the version of the installed Hadoop, which the missing jar must match */
  def hadoopAws(path: String, hadoop: String, why: String): StoplogArgumentException =
    jarMissing(s"The path $path on S3", s"org.apache.hadoop:hadoop-aws:$hadoop", why, cause = null)

  /** @param what     as the subject of a sentence
    * @param artifact the Maven coordinates
    */
  def jarMissing(what: String, artifact: String, why: String, cause: Throwable): StoplogArgumentException =
    argument("STOPLOG_JAR_MISSING", cause, "what" -> what, "artifact" -> artifact, "why" -> reason(why))

  /** @param key the setting of S3A that is true */
  def uploadPurge(path: String, key: String): StoplogArgumentException =
    argument("STOPLOG_UPLOAD_PURGE", "path" -> path, "key" -> key)

  def codecUnavailable(
      format: String,
      codec: String,
      why: String,
      cause: Throwable
  ): StoplogArgumentException =
    argument("STOPLOG_CODEC_UNAVAILABLE", cause, "format" -> format, "codec" -> codec, "why" -> reason(why))

  /** @param query its name, or the id of its run */
  def notAStoplogQuery(query: String): StoplogArgumentException =
    argument("STOPLOG_NOT_A_STOPLOG_QUERY", "query" -> query)

  /** @param built the version of the connector's jar */
  def connectorVersion(artifact: String, built: String, core: String): StoplogArgumentException =
    argument(
      "STOPLOG_VERSION_MISMATCH",
      "what"    -> s"The jar of $artifact",
      "version" -> built,
      "core"    -> core,
      "how" -> s"set io.github.stoplog:${artifact}_2.13 and io.github.stoplog:stoplog_2.13 to the same version"
    )

  /** @param path the path to be read by a source */
  def sourcePath(path: String, why: String): StoplogArgumentException =
    argument("STOPLOG_SOURCE_PATH", "path" -> path, "why" -> reason(why))

  def sourceArchive(path: String, archive: String, why: String): StoplogArgumentException =
    argument("STOPLOG_SOURCE_ARCHIVE", "path" -> path, "archive" -> archive, "why" -> reason(why))

  /** @param recorded the path of the files in the checkpoint
    * @param file     the file with the recorded path
    */
  def sourcePathChanged(recorded: String, requested: String, file: String): StoplogArgumentException =
    argument("STOPLOG_SOURCE_PATH_CHANGED", "recorded" -> recorded, "asked" -> requested, "file" -> file)

  /** @param path      to be replaced, compacted or read
    * @param directory with the table's entry: at, above or below the path
    */
  def foreignTable(path: String, directory: String, entry: String, owner: String): StoplogArgumentException =
    argument(
      "STOPLOG_FOREIGN_TABLE",
      "path"      -> path,
      "directory" -> directory,
      "entry"     -> entry,
      "owner"     -> owner
    )

  def notCompactable(path: String, why: String): StoplogArgumentException =
    argument("STOPLOG_NOT_COMPACTABLE", "path" -> path, "why" -> reason(why))

  def sourceSchema(format: String): StoplogArgumentException =
    argument("STOPLOG_SOURCE_SCHEMA", "format" -> format)

  /** @param reference a class name, or a placeholder for an instance */
  def userCode(option: String, reference: String, why: String, cause: Throwable): StoplogArgumentException =
    argument(
      "STOPLOG_USER_CODE",
      cause,
      "option"    -> option,
      "reference" -> reference,
      "why"       -> reason(why)
    )

  /** @param writer the class of a user-defined bulk writer, as recorded in an open part */
  def bulkWriterUnknown(writer: String, why: String, cause: Throwable): StoplogException =
    failure("STOPLOG_BULK_WRITER_UNKNOWN", cause, "writer" -> writer, "why" -> reason(why))

  // Rows.

  def nullValue(column: String): StoplogException = RowErrors.nullValue(
    column,
    "a line of text cannot represent null",
    "set nullValue to the string for null"
  )

  /** @param why a clause about the row, called `it` */
  def unreadableRow(format: String, why: String): StoplogException =
    failure("STOPLOG_UNREADABLE_ROW", "format" -> format, "why" -> reason(why))

  def nullWritable(column: String): StoplogException =
    RowErrors.nullValue(
      column,
      "a SequenceFile cannot represent null: its keys and values are of one class each",
      ""
    )

  /** A column that is declared as never null in the schema. */
  def nullRequired(column: String): StoplogException = RowErrors.nullValue(
    column,
    "its schema declares the column as not nullable, so the file could not represent the null",
    s"declare the column nullable, or $Reject"
  )

  /** @param bucket the target bucket of the row, if known */
  def badRow(bucket: Option[String], cause: Throwable): StoplogException = RowErrors.badRow(
    bucket.fold("an unknown bucket")(id => s"the bucket '$id'"),
    Causes.message(cause),
    "Nothing of this epoch was published.",
    s"$Reject and continue",
    cause
  )

  private val Reject = "set onBadRow to reject to write such rows under _rejected"

  def bucketId(id: String, why: String): StoplogException =
    failure("STOPLOG_BUCKET_ID", "id" -> s"'$id'", "why" -> reason(why))

  // Ownership of directories.

  def settingsChanged(setting: String, recorded: String, requested: String, path: String): StoplogException =
    failure(
      "STOPLOG_SETTINGS_CHANGED",
      "setting"  -> setting,
      "recorded" -> recorded,
      "asked"    -> requested,
      "path"     -> path
    )

  /** @param onSchemaChange the value of the option
    * @param changes as text
    */
  def schemaChanged(
      path: String,
      sinkId: String,
      onSchemaChange: String,
      changes: String
  ): StoplogArgumentException =
    argument(
      "STOPLOG_SCHEMA_CHANGED",
      "path"           -> path,
      "sinkId"         -> sinkId,
      "onSchemaChange" -> onSchemaChange,
      "changes"        -> changes
    )

  /** @param other the run that wrote record `seq`, or the known facts about the run */
  def fenced(path: String, sinkId: String, seq: Long, other: String): StoplogException =
    OwnerErrors.fenced(s"sink $sinkId under $path", s"record $seq of its log belongs to $other")

  /** @param liveness the known facts, as a sentence without the full stop */
  def driverAlive(path: String, sinkId: String, liveness: String): StoplogException =
    failure("STOPLOG_DRIVER_ALIVE", "path" -> path, "sinkId" -> sinkId, "liveness" -> reason(liveness))

  /** @param there the existing sink ids */
  def sinkUnknown(path: String, sinkId: String, there: Seq[String]): StoplogArgumentException =
    argument(
      "STOPLOG_SINK_UNKNOWN",
      "path"   -> path,
      "sinkId" -> sinkId,
      "there"  -> (if (there.isEmpty) "none" else there.mkString(", "))
    )

  def checkpointUnreadable(checkpoint: String, why: Throwable): StoplogException = failure(
    "STOPLOG_CHECKPOINT_UNREADABLE",
    why,
    "checkpoint" -> checkpoint,
    "why"        -> reason(String.valueOf(why.getMessage))
  )

  def notRewindable(path: String, sinkId: String, epoch: Long, why: String): StoplogException =
    failure(
      "STOPLOG_NOT_REWINDABLE",
      "path"   -> path,
      "sinkId" -> sinkId,
      "epoch"  -> epoch,
      "why"    -> reason(why)
    )

  // The log.

  def recordTorn(path: String, why: String): StoplogException =
    failure("STOPLOG_RECORD_TORN", "path" -> path, "why" -> reason(why))

  def recordTooNew(path: String, version: Int, supported: Int): StoplogException =
    failure("STOPLOG_RECORD_TOO_NEW", "path" -> path, "version" -> version, "supported" -> supported)

  def recordElsewhere(path: String, why: String): StoplogException =
    failure(
      "STOPLOG_PATH_ELSEWHERE",
      "what" -> s"A file that the log record $path names",
      "root" -> "the sink's path",
      "why"  -> reason(why)
    )

  /** @param root the sink's path */
  def pathElsewhere(root: String, path: String, why: String): StoplogException =
    failure(
      "STOPLOG_PATH_ELSEWHERE",
      "what" -> s"The path '$path', which the log names,",
      "root" -> root,
      "why"  -> reason(why)
    )

  // Sources.

  /** @param record written by the other driver */
  def sourceFenced(record: String): StoplogException =
    OwnerErrors.fenced("the source of this query's checkpoint", s"$record belongs to the other driver")

  /** @param split counted from the start of the source */
  def sourceStateLost(path: String, split: Long): StoplogException =
    failure("STOPLOG_SOURCE_STATE_LOST", "path" -> path, "split" -> split)

  def sourceFileGone(file: String, planned: String, cause: Throwable): StoplogException =
    failure(
      "STOPLOG_SOURCE_FILE_CHANGED",
      cause,
      "file"    -> file,
      "planned" -> planned,
      "found"   -> "does not exist"
    )

  /** @param planned the length and the time of the file at planning, as text */
  def sourceFileChanged(file: String, planned: String, found: String): StoplogException =
    failure("STOPLOG_SOURCE_FILE_CHANGED", "file" -> file, "planned" -> planned, "found" -> s"has $found")

  /** Lengths in bytes. */
  def sourceFileGrown(file: String, before: Long, now: Long): StoplogException =
    failure("STOPLOG_SOURCE_FILE_GROWN", "file" -> file, "before" -> before, "now" -> now)

  /** @param position as text, with the unit */
  def sourceFileUnreadable(file: String, position: String, why: String, cause: Throwable): StoplogException =
    failure(
      "STOPLOG_SOURCE_FILE_UNREADABLE",
      cause,
      "file"     -> file,
      "position" -> position,
      "why"      -> reason(why)
    )

  /** The columns, the settings or the class path of the query do not fit the file. */
  def sourceFileSettings(file: String, why: String, cause: Throwable): StoplogException =
    failure("STOPLOG_SOURCE_FILE_SETTINGS", cause, "file" -> file, "why" -> reason(why))

  /** @param file written by the compaction of a sink */
  def sourceCompactedPart(file: String): StoplogException =
    failure("STOPLOG_SOURCE_MERGED_PART", "file" -> file)

  def sourceReplacedPart(file: String): StoplogException =
    failure("STOPLOG_SOURCE_REPLACED_PART", "file" -> file)

  /** @param why a clause whose subject is the path */
  def sourceAway(path: String, why: String, millis: Long): StoplogException =
    failure("STOPLOG_SOURCE_AWAY", "path" -> path, "why" -> why, "minutes" -> (millis / 60000).toString)

  /** @param link a path in which one or more names are symbolic links
    * @param why  a clause whose subject is the link
    */
  def sourceLink(link: String, why: String): StoplogException =
    failure("STOPLOG_SOURCE_LINK", "link" -> link, "why" -> reason(why))

  // Parts and storage.

  /** @param reported the number of rows in the compacted files, or in the log */
  def compactionIncomplete(files: Seq[String], reported: Long, written: Long): StoplogException = failure(
    "STOPLOG_MERGE_INCOMPLETE",
    "files"   -> files.size,
    "first"   -> files.head,
    "rows"    -> reported,
    "written" -> written
  )

  /** @param path the finished name */
  def partLost(path: String, staged: String, bucket: String, epoch: Long): StoplogException =
    failure(
      "STOPLOG_PART_LOST",
      "what" -> (s"Epoch $epoch closed a part of bucket '$bucket'. The part is neither at $staged, where the " +
        s"part was written, nor at $path, where the part would be published")
    )

  /** @param path  the finished name
    * @param bytes the bytes of the upload
    */
  def uploadLost(path: String, bytes: Long): StoplogException =
    failure(
      "STOPLOG_PART_LOST",
      "what" -> (s"The upload of the unfinished part $path no longer exists, and $bytes bytes of committed rows " +
        "are lost. Nothing was written after these bytes")
    )

  /** Lengths in bytes. */
  def partShort(path: String, actual: Long, expected: Long): StoplogException =
    failure("STOPLOG_PART_SHORT", "path" -> path, "actual" -> actual, "expected" -> expected)

  /** Lengths in bytes. The file has several names and is longer than expected. */
  def partShared(path: String, actual: Long, expected: Long): StoplogException =
    failure("STOPLOG_PART_SHARED", "path" -> path, "actual" -> actual, "expected" -> expected)

  def nameTaken(path: String, why: String): StoplogException =
    failure("STOPLOG_NAME_TAKEN", "path" -> path, "why" -> reason(why))

  def storeWrite(path: String, why: String, cause: Throwable): StoplogException =
    storage("STOPLOG_STORE_WRITE", path, why, cause)

  def fileNotPermitted(path: String, why: String, cause: Throwable): StoplogException =
    storage("STOPLOG_FILE_NOT_PERMITTED", path, why, cause)

  def tooManyOpenFiles(path: String, why: String, cause: Throwable): StoplogException =
    storage("STOPLOG_TOO_MANY_OPEN_FILES", path, why, cause)

  def staleFileHandle(path: String, why: String, cause: Throwable): StoplogException =
    storage("STOPLOG_STALE_FILE_HANDLE", path, why, cause)

  def fileIo(path: String, why: String, cause: Throwable): StoplogException =
    storage("STOPLOG_FILE_IO", path, why, cause)

  def unknownOutcome(path: String, why: String, cause: Throwable): StoplogException =
    RequestErrors.unknownOutcome(
      s"$path was written",
      why,
      "Nothing was deleted",
      "the storage",
      "the log",
      cause
    )

  private def storage(condition: String, path: String, why: String, cause: Throwable): StoplogException =
    failure(condition, cause, "path" -> path, "why" -> reason(why))
}
