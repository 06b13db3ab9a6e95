package stoplog.log

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.{ArrayNode, ObjectNode}

import stoplog.part.{Closed, Open, Part, Pending, Publish, Resume, RunId}
import stoplog.rolling.RollReason

/** The fields of a record, in the order in which a person would like to read them. */
private[log] object RecordJson {

  def write(record: LogRecord, into: ObjectNode): ObjectNode = {
    into.put("seq", record.seq)
    into.put("kind", record.kind.word)
    record.kind match {
      case RecordKind.Epoch(epoch) => into.put("epoch", epoch)
      case _                       =>
    }
    into.put("run", record.run.value)
    into.put("writtenAtMillis", record.writtenAtMillis)
    val publish = into.putArray("publish")
    record.publish.foreach(pending => writePending(pending, publish.addObject()))
    writeState(record.state, into.putObject("state"))
    into
  }

  def read(from: ObjectNode): LogRecord =
    LogRecord(
      seq = long(from, "seq"),
      kind = kind(from),
      run = RunId(text(from, "run")),
      writtenAtMillis = long(from, "writtenAtMillis"),
      publish = objects(from, "publish").map(readPending),
      state = readState(required(from, "state"))
    )

  private def kind(from: ObjectNode): RecordKind = text(from, "kind") match {
    case "claim"   => RecordKind.Claim
    case "epoch"   => RecordKind.Epoch(long(from, "epoch"))
    case "roll"    => RecordKind.Roll
    case "release" => RecordKind.Release
    case other     => throw new IllegalArgumentException(s"unknown kind '$other'")
  }

  private def writeState(state: SinkState, into: ObjectNode): Unit = {
    into.put("queryId", state.queryId)
    state.lastEpoch.foreach(epoch => into.put("lastEpoch", epoch))
    into.put("nextPart", state.nextPart)
    val settings = into.putObject("settings")
    RecordCodec.sorted(state.settings).foreach { case (key, value) => settings.put(key, value) }
    val open = into.putArray("open")
    state.open.foreach(part => writeOpen(part, open.addObject()))
  }

  private def readState(from: JsonNode): SinkState =
    SinkState(
      queryId = text(from, "queryId"),
      lastEpoch = Option(from.get("lastEpoch")).map(_.asLong()),
      open = objects(from, "open").map(readOpen),
      nextPart = long(from, "nextPart"),
      settings = RecordCodec.texts(required(from, "settings"))
    )

  private def writePart(part: Part, into: ObjectNode): Unit = {
    into.put("bucket", part.bucket)
    into.put("name", part.name)
    into.put("bytes", part.sizeBytes)
    into.put("records", part.records)
    into.put("openedAtMillis", part.openedAtMillis)
    into.put("lastWrittenAtMillis", part.lastWrittenAtMillis)
    ()
  }

  private def writeOpen(part: Open, into: ObjectNode): Unit = {
    writePart(part, into)
    into.put("slot", part.slot)
    into.put("handle", part.handle.token)
    part.owner.foreach(run => into.put("owner", run.value))
  }

  private def readOpen(from: JsonNode): Open =
    Open(
      bucket = text(from, "bucket"),
      name = text(from, "name"),
      slot = long(from, "slot").toInt,
      handle = Resume(text(from, "handle")),
      validBytes = long(from, "bytes"),
      records = long(from, "records"),
      openedAtMillis = long(from, "openedAtMillis"),
      lastWrittenAtMillis = long(from, "lastWrittenAtMillis"),
      owner = Option(from.get("owner")).map(node => RunId(node.asText()))
    )

  private def writePending(part: Pending, into: ObjectNode): Unit = {
    writePart(part, into)
    into.put("reason", part.reason.word)
    into.put("handle", part.handle.token)
    part.handle match {
      case _: Resume => into.put("closed", false)
      case _: Closed => into.put("closed", true)
    }
    ()
  }

  private def readPending(from: JsonNode): Pending = {
    val token           = text(from, "handle")
    val handle: Publish = if (required(from, "closed").asBoolean()) Closed(token) else Resume(token)
    Pending(
      bucket = text(from, "bucket"),
      name = text(from, "name"),
      handle = handle,
      sizeBytes = long(from, "bytes"),
      records = long(from, "records"),
      openedAtMillis = long(from, "openedAtMillis"),
      lastWrittenAtMillis = long(from, "lastWrittenAtMillis"),
      reason = RollReason.fromWord(text(from, "reason"))
    )
  }

  private def required(from: JsonNode, field: String): JsonNode =
    Option(from.get(field)).getOrElse(throw new IllegalArgumentException(s"no field '$field'"))

  private def text(from: JsonNode, field: String): String = required(from, field).asText()

  private def long(from: JsonNode, field: String): Long = {
    val node = required(from, field)
    if (!node.isIntegralNumber) throw new IllegalArgumentException(s"field '$field' is not a whole number")
    node.asLong()
  }

  private def objects(from: JsonNode, field: String): Vector[JsonNode] = required(from, field) match {
    case array: ArrayNode => array.elements().asScala.toVector
    case _                => throw new IllegalArgumentException(s"field '$field' is not a list")
  }
}
