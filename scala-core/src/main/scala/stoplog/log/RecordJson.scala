// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.core.JsonGenerator
import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode

import stoplog.part.{
  Closed, LastWriter, Open, Part, PartRows, Pending, Publish, RecordBytes, Resume, RunId, SchemaId, SpoolFile,
  Spooled, TimeRange
}

import stoplog.rolling.RollReason

/** The fields of a record, in an order convenient for people. */
private[log] object RecordJson {
  import JsonFields._

  /** Writes directly to bytes, because a record with thousands of open parts may occur in every epoch. */
  def write(record: LogRecord, into: JsonGenerator): Unit = {
    into.writeStartObject()
    writeHead(record, into)
    writeDecision(record, record.state.schema.map(SchemaId.of), into)
    writeState(record.state, into)
    into.writeEndObject()
  }

  /** Writes the difference from the state of the preceding record instead of the state. */
  def writeDelta(record: LogRecord, base: Base, delta: StateDelta, into: JsonGenerator): Unit = {
    into.writeStartObject()
    writeHead(record, into)
    DeltaJson.writeBase(base, into)
    writeDecision(record, usual = None, into)
    DeltaJson.writeState(record.state, delta, into)
    into.writeEndObject()
  }

  private def writeHead(record: LogRecord, into: JsonGenerator): Unit = {
    into.writeNumberField("seq", record.seq)
    into.writeStringField("kind", record.kind.word)
    record.kind match {
      case RecordKind.Epoch(epoch) => into.writeNumberField("epoch", epoch)
      case _                       =>
    }
    into.writeStringField("run", record.run.value)
    into.writeNumberField("writtenAtMillis", record.writtenAtMillis)
  }

  private def writeDecision(record: LogRecord, usual: Option[SchemaId], into: JsonGenerator): Unit = {
    into.writeArrayFieldStart("publish")
    record.publish.foreach(writePending(_, usual, into))
    into.writeEndArray()
    ListsJson.writeFollowUp(record.follow, into)
    ListsJson.writeFinished("replace", record.replace, into)
  }

  /** @param open the open parts, which are not in `from` */
  def read(from: ObjectNode, open: Option[Try[Vector[Open]]], published: Published): LogRecord = {
    lazy val state = readState(required(from, "state"), open)
    readDecision(from, published, state.schema.map(SchemaId.of)).leaving(state)
  }

  /** @param usual the schema of parts without a recorded schema
    */
  def readDecision(from: ObjectNode, published: Published, usual: => Option[SchemaId]): Decision = Decision(
    seq = long(from, "seq"),
    kind = kind(from),
    run = RunId(text(from, "run")),
    writtenAtMillis = long(from, "writtenAtMillis"),
    publish = objects(from, "publish").map(readPending(_, published, usual)),
    follow = ListsJson.readFollowUp(from),
    replace = ListsJson.readFinished("replace", from)
  )

  private def kind(from: ObjectNode): RecordKind = text(from, "kind") match {
    case "claim"   => RecordKind.Claim
    case "epoch"   => RecordKind.Epoch(long(from, "epoch"))
    case "roll"    => RecordKind.Roll
    case "compact" => RecordKind.Compact
    case "release" => RecordKind.Release
    case other     => throw new IllegalArgumentException(s"unknown kind '$other'")
  }

  private def writeState(state: SinkState, into: JsonGenerator): Unit = {
    into.writeObjectFieldStart("state")
    writeScalars(state, into)
    writeSettings(state.settings, into)
    into.writeArrayFieldStart("open")
    val usual = state.schema.map(SchemaId.of)
    state.open.foreach(writeOpen(_, usual, into))
    into.writeEndArray()
    ListsJson.writeLive(state.live, into)
    ListsJson.writeFinished("small", state.small, into)
    into.writeEndObject()
  }

  /** Writes the scalar fields of a state, which a difference always contains. */
  def writeScalars(state: SinkState, into: JsonGenerator): Unit = {
    into.writeStringField("queryId", state.queryId)
    state.lastEpoch.foreach(into.writeNumberField("lastEpoch", _))
    state.newest.batch.foreach(batch => into.writeStringField("lastBatch", batch.value))
    into.writeNumberField("nextPart", state.nextPart)
  }

  /** Reads a state with only these fields. */
  def readScalars(from: JsonNode): SinkState = SinkState(
    QueryEpoch(
      text(from, "queryId"),
      Option(from.get("lastEpoch")).map(_.asLong()),
      Option(from.get("lastBatch")).map(node => BatchDigest(node.asText()))
    ),
    open = Vector.empty,
    nextPart = long(from, "nextPart"),
    settings = Map.empty
  )

  private def readState(from: JsonNode, open: Option[Try[Vector[Open]]]): SinkState = {
    val settings = readSettings(from)
    readScalars(from).copy(
      open = open.fold(objects(from, "open").map(readOpen(_, usualSchema(from))))(_.get),
      settings = settings,
      live = ListsJson.readLive(from),
      small = ListsJson.readFinished("small", from)
    )
  }

  /** Returns the schema of parts without a recorded schema. */
  def usualSchema(state: JsonNode): Option[SchemaId] =
    readSettings(state).get(SinkState.SchemaKey).map(SchemaId.of)

  def writeSettings(settings: Map[String, String], into: JsonGenerator): Unit = {
    into.writeObjectFieldStart("settings")
    settings.toSeq.sorted.foreach { case (key, value) => into.writeStringField(key, value) }
    into.writeEndObject()
  }

  def readSettings(state: JsonNode): Map[String, String] = {
    val noted = required(state, "settings")
    noted.fieldNames().asScala.map(key => key -> noted.get(key).asText()).toMap
  }

  /** @param usual the schema in the state, which applies to nearly all parts and is omitted there */
  private def writePart(part: Part, bytes: Long, usual: Option[SchemaId], into: JsonGenerator): Unit = {
    into.writeStringField("bucket", part.bucket)
    into.writeStringField("name", part.name)
    into.writeNumberField("bytes", bytes)
    into.writeNumberField("records", part.records)
    into.writeNumberField("openedAtMillis", part.openedAtMillis)
    into.writeNumberField("lastWrittenAtMillis", part.lastWrittenAtMillis)
    if (part.schema != usual) part.schema match {
      case Some(id) => into.writeStringField("schema", id.value)
      case None     => into.writeNullField("schema")
    }
    part.times.foreach { times =>
      into.writeNumberField("minMicros", times.minMicros)
      into.writeNumberField("maxMicros", times.maxMicros)
    }
  }

  private def readRows(from: JsonNode, usual: Option[SchemaId]): PartRows =
    PartRows(
      count = long(from, "records"),
      openedAtMillis = long(from, "openedAtMillis"),
      lastWrittenAtMillis = long(from, "lastWrittenAtMillis"),
      schema = readSchema(from, usual),
      times = readTimes(from),
      firstEventTimeMillis = Option.when(from.has("firstEventTimeMillis"))(long(from, "firstEventTimeMillis"))
    )

  private def readTimes(from: JsonNode): Option[TimeRange] =
    Option.when(from.has("minMicros"))(TimeRange(long(from, "minMicros"), long(from, "maxMicros")))

  private def readSchema(from: JsonNode, usual: Option[SchemaId]): Option[SchemaId] =
    Option(from.get("schema")).fold(usual)(node => Option.when(!node.isNull)(SchemaId(node.asText())))

  private[log] def writeOpen(part: Open, usual: Option[SchemaId], into: JsonGenerator): Unit = {
    into.writeStartObject()
    writePart(part, part.validBytes, usual, into)
    into.writeNumberField("slot", part.slot)
    into.writeStringField("handle", part.handle.token)
    part.owner.foreach(run => into.writeStringField("owner", run.value))
    part.firstEventTimeMillis.foreach(into.writeNumberField("firstEventTimeMillis", _))
    if (!part.spooled.isEmpty) writeSpooled(part.spooled, into)
    into.writeEndObject()
  }

  private def writeSpooled(spooled: Spooled, into: JsonGenerator): Unit = {
    into.writeObjectFieldStart("beside")
    into.writeStringField("note", spooled.note)
    into.writeNumberField("storageBytes", spooled.storageBytes)
    into.writeArrayFieldStart("files")
    spooled.files.foreach { file =>
      into.writeStartObject()
      into.writeStringField("file", file.token)
      into.writeNumberField("bytes", file.sizeBytes)
      into.writeNumberField("level", file.level)
      into.writeEndObject()
    }
    into.writeEndArray()
    if (!spooled.inRecord.isEmpty) into.writeStringField("rows", spooled.inRecord.base64)
    into.writeEndObject()
  }

  private[log] def readOpen(from: JsonNode, usual: Option[SchemaId]): Open =
    Open(
      bucket = path(from, "bucket"),
      name = name(from, "name"),
      handle = Resume(token(from)),
      validBytes = long(from, "bytes"),
      rows = readRows(from, usual),
      writer = LastWriter(
        slot = long(from, "slot").toInt,
        owner = Option(from.get("owner")).map(node => RunId(node.asText()))
      ),
      spooled = Option(from.get("beside")).fold(Spooled.nothing)(readSpooled)
    )

  private def readSpooled(from: JsonNode): Spooled =
    Spooled(
      note = text(from, "note"),
      files = objects(from, "files").map { file =>
        SpoolFile(path(file, "file"), long(file, "bytes"), long(file, "level").toInt)
      },
      storageBytes = long(from, "storageBytes"),
      inRecord = Option(from.get("rows")).fold(RecordBytes.empty)(rows => RecordBytes(rows.asText()))
    )

  /** Reads a token. Most stores use paths; object stores use JSON objects and check the paths inside. */
  private def token(from: JsonNode): String =
    if (text(from, "handle").startsWith("{")) text(from, "handle") else path(from, "handle")

  private def writePending(part: Pending, usual: Option[SchemaId], into: JsonGenerator): Unit = {
    into.writeStartObject()
    writePart(part, part.sizeBytes, usual, into)
    into.writeStringField("reason", part.reason.word)
    into.writeStringField("handle", part.handle.token)
    part.handle match {
      case _: Resume => into.writeBooleanField("closed", false)
      case _: Closed => into.writeBooleanField("closed", true)
    }
    into.writeEndObject()
  }

  private def readPending(from: JsonNode, published: Published, usual: Option[SchemaId]): Pending = {
    val bucket = path(from, "bucket")
    val ofFile = published match {
      case Published.Files    => true
      case Published.Prepared => bucket.nonEmpty
    }
    val handle           = if (ofFile) token(from) else text(from, "handle")
    val publish: Publish = if (required(from, "closed").asBoolean()) Closed(handle) else Resume(handle)
    Pending(
      bucket = bucket,
      name = if (ofFile) name(from, "name") else text(from, "name"),
      handle = publish,
      sizeBytes = long(from, "bytes"),
      rows = readRows(from, usual),
      reason = RollReason.fromWord(text(from, "reason"))
    )
  }
}
