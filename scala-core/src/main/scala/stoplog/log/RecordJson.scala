// SPDX-License-Identifier: Apache-2.0
package stoplog.log

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.core.JsonGenerator
import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode

import stoplog.part.{
  Closed, Open, Part, Pending, Publish, RecordBytes, Resume, RunId, SchemaId, SpoolFile, Spooled, TimeRange
}

import stoplog.rolling.RollReason

/** The fields of a record, in the order in which a person would like to read them. */
private[log] object RecordJson {
  import JsonFields._

  /** Written straight to bytes: a record with thousands of open parts may be written in every epoch. */
  def write(record: LogRecord, into: JsonGenerator): Unit = {
    into.writeStartObject()
    writeHead(record, into)
    writeDecision(record, record.state.schema.map(SchemaId.of), into)
    writeState(record.state, into)
    into.writeEndObject()
  }

  /** With the difference from the state of the record before it in place of its state. */
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

  def read(from: ObjectNode, published: Published): LogRecord = {
    lazy val state = readState(required(from, "state"))
    readDecision(from, published, state.schema.map(SchemaId.of)).leaving(state)
  }

  /** @param usual the columns of parts that do not say theirs */
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

  /** The fields of a state that a difference says whole. */
  def writeScalars(state: SinkState, into: JsonGenerator): Unit = {
    into.writeStringField("queryId", state.queryId)
    state.lastEpoch.foreach(into.writeNumberField("lastEpoch", _))
    state.lastBatch.foreach(batch => into.writeStringField("lastBatch", batch.value))
    into.writeNumberField("nextPart", state.nextPart)
  }

  /** A state with these fields alone. */
  def readScalars(from: JsonNode): SinkState = SinkState(
    queryId = text(from, "queryId"),
    lastEpoch = Option(from.get("lastEpoch")).map(_.asLong()),
    open = Vector.empty,
    nextPart = long(from, "nextPart"),
    settings = Map.empty,
    lastBatch = Option(from.get("lastBatch")).map(node => BatchDigest(node.asText()))
  )

  private def readState(from: JsonNode): SinkState = {
    val settings = readSettings(from)
    val usual    = settings.get(SinkState.SchemaKey).map(SchemaId.of)
    readScalars(from).copy(
      open = objects(from, "open").map(readOpen(_, usual)),
      settings = settings,
      live = ListsJson.readLive(from),
      small = ListsJson.readFinished("small", from)
    )
  }

  def writeSettings(settings: Map[String, String], into: JsonGenerator): Unit = {
    into.writeObjectFieldStart("settings")
    settings.toSeq.sorted.foreach { case (key, value) => into.writeStringField(key, value) }
    into.writeEndObject()
  }

  def readSettings(state: JsonNode): Map[String, String] = {
    val noted = required(state, "settings")
    noted.fieldNames().asScala.map(key => key -> noted.get(key).asText()).toMap
  }

  /** @param usual the columns that the state names: those of nearly all parts, which then need not say so. An older
    *              release passes over what the others say, and loses nothing that it goes by: so there is no new version.
    */
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
    if (!part.beside.isEmpty) writeBeside(part.beside, into)
    into.writeEndObject()
  }

  private def writeBeside(beside: Spooled, into: JsonGenerator): Unit = {
    into.writeObjectFieldStart("beside")
    into.writeStringField("note", beside.note)
    into.writeNumberField("storageBytes", beside.storageBytes)
    into.writeArrayFieldStart("files")
    beside.files.foreach { file =>
      into.writeStartObject()
      into.writeStringField("file", file.token)
      into.writeNumberField("bytes", file.sizeBytes)
      into.writeNumberField("level", file.level)
      into.writeEndObject()
    }
    into.writeEndArray()
    if (!beside.inRecord.isEmpty) into.writeStringField("rows", beside.inRecord.base64)
    into.writeEndObject()
  }

  private[log] def readOpen(from: JsonNode, usual: Option[SchemaId]): Open =
    Open(
      bucket = path(from, "bucket"),
      name = name(from, "name"),
      slot = long(from, "slot").toInt,
      handle = Resume(token(from)),
      validBytes = long(from, "bytes"),
      records = long(from, "records"),
      openedAtMillis = long(from, "openedAtMillis"),
      lastWrittenAtMillis = long(from, "lastWrittenAtMillis"),
      owner = Option(from.get("owner")).map(node => RunId(node.asText())),
      beside = Option(from.get("beside")).fold(Spooled.nothing)(readBeside),
      schema = readSchema(from, usual),
      times = readTimes(from),
      firstEventTimeMillis = Option.when(from.has("firstEventTimeMillis"))(long(from, "firstEventTimeMillis"))
    )

  private def readBeside(from: JsonNode): Spooled =
    Spooled(
      note = text(from, "note"),
      files = objects(from, "files").map { file =>
        SpoolFile(path(file, "file"), long(file, "bytes"), long(file, "level").toInt)
      },
      storageBytes = long(from, "storageBytes"),
      inRecord = Option(from.get("rows")).fold(RecordBytes.empty)(rows => RecordBytes(rows.asText()))
    )

  /** Most stores' tokens are paths. Those of object stores are objects, whose paths the store looks at. */
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
      records = long(from, "records"),
      openedAtMillis = long(from, "openedAtMillis"),
      lastWrittenAtMillis = long(from, "lastWrittenAtMillis"),
      reason = RollReason.fromWord(text(from, "reason")),
      schema = readSchema(from, usual),
      times = readTimes(from)
    )
  }
}
