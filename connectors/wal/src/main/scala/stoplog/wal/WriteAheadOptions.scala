// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.util.{Locale, Map => JMap}

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import stoplog.error.{Redaction, StoplogArgumentException}
import stoplog.options._

/** The validated options of a write-ahead sink.
  *
  * @param movedFrom the previous destination of rows, if the target has moved
  * @param options   all options
  */
private[wal] final case class WriteAheadOptions(
    sender: RowSender,
    committers: CheckpointCommitters,
    log: LogOptions,
    movedFrom: Option[String],
    options: Map[String, String]
) {

  /** All options as passed to sender and committers; keys are case-insensitive. */
  def passed: JMap[String, String] = SparkOptions.caseless(options.asJava)

  /** Returns the exception without the secrets of these options: a server may repeat the key that it rejects.
    * Of a header such as `Bearer <token>`, the server may repeat the last word.
    */
  def redacted(e: Throwable): Throwable = {
    val lastWords = options.toSeq.collect {
      case (key, value) if Redaction.isSecret(key) => key -> value.trim.split(' ').last
    }
    Redaction.of(options.toSeq ++ lastWords).cause(e)
  }

  /** The places of a run with these options. */
  def places: ChunkPlaces = ChunkPlaces(notes = committers.notesAt(passed), rows = sender.rowsTo(passed))
}

/** The definitions of all options. */
private[wal] object WriteAheadOptions {

  case object WriteTarget extends OptionGroup("Where rows are sent")

  val Sender: Opt[String] = WriteTarget.required(
    "sender",
    OptionType.text.as("`http`, `jdbc`, `cassandra` or a class name"),
    "com.example.WebhookSender"
  )(
    "The sender of the rows. `http`: posts rows as JSON lines. `jdbc`, `cassandra`: writes rows to a " +
      "table. Otherwise the name of a class that extends `stoplog.wal.RowSender` and has a public " +
      "constructor without arguments. The class receives all options of the write, including custom " +
      "options."
  )

  val Committer: Opt[String] = WriteTarget.withDefault(
    "committer",
    OptionType.text.as("`files`, `jdbc`, `cassandra` or a class name"),
    "files",
    "com.example.NotesInTarget"
  )(
    "The store of the sent chunks. `files`: empty files in the log of the sink. `jdbc`, `cassandra`: a " +
      "table; with `sender=jdbc` and `committer=jdbc`, rows and chunk are written in a single transaction. " +
      "Otherwise the name of a class that extends `stoplog.wal.CheckpointCommitters`, which may keep the " +
      "sent chunks in the target itself."
  )

  val MovedFrom: Opt[String] = WriteTarget.option(
    "targetMovedFrom",
    OptionType.text.as("target, as `STOPLOG_WAL_TARGET_CHANGED` names it"),
    "the table orders of postgresql:shop"
  )(
    "a changed target is rejected while the log contains rows for the previous target",
    "The previous target, if the target has moved: rows in the log for the previous target are sent to the " +
      "target of this run."
  )

  val groups: Seq[OptionGroup] = Seq(WriteTarget, HttpOptions.Http)

  val all: Seq[Opt[_]] =
    Seq(Sender, Committer, MovedFrom) ++ HttpOptions.all ++ LogOptions.all :+ PythonOptions.Timeout

  /** Errors: `STOPLOG_INVALID_OPTIONS` with all problems at once, `STOPLOG_JAR_MISSING`. */
  def parse(options: Map[String, String]): WriteAheadOptions = {
    val reader = new OptionReader(options.toSeq, all)
    if (!reader.isSet(Sender))
      reader.errors.add(
        "sender is not set: set it to http, jdbc or cassandra, or to the name of a class that extends " +
          "RowSender."
      )
    for {
      connector <- Seq(Sender, Committer).flatMap(reader.text).flatMap(Connector.of).distinct
      missing   <- connector.missing
    } reader.errors.add(
      s"${connector.word} needs the jar ${connector.artifact}, which is missing: add the jar.",
      missing
    )
    UnknownOptions.of(reader).foreach(reader.errors.add(_))
    val sender = reader.text(Sender).map(_.trim).flatMap {
      case http if http.equalsIgnoreCase("http") =>
        HttpOptions.read(options.toSeq, reader.errors)
        Some(new HttpSender)
      case named => made(reader, Sender, named, _.sender, classOf[RowSender])
    }
    val committers = reader.text(Committer).map(_.trim).filterNot(_.equalsIgnoreCase("files")) match {
      case None        => Some(new FileCommitters)
      case Some(named) =>
        made(reader, Committer, named, _.committers, classOf[CheckpointCommitters])
    }
    val log    = LogOptions.parse(reader)
    val passed = SparkOptions.caseless(options.asJava)
    sender.filterNot(_.isInstanceOf[HttpSender]).foreach { sender =>
      accepted(reader, Sender)(sender.target(passed))
    }
    committers.foreach(committers => accepted(reader, Committer)(committers.check(passed)))
    reader.errors.throwIfAny()
    WriteAheadOptions(sender.get, committers.get, log, reader.text(MovedFrom), options)
  }

  /** Returns the connector's object if the word names a connector, or else an object of the named class. */
  private def made[T](
      reader: OptionReader,
      option: Opt[_],
      named: String,
      ofConnector: Connector => Option[T],
      expected: Class[T]
  ): Option[T] = Connector.of(named).fold(reader.userObject(option, named, expected))(ofConnector)

  private def accepted(reader: OptionReader, option: Opt[_])(check: => Any): Unit =
    try {
      check
      ()
    } catch {
      case NonFatal(e) =>
        val which =
          reader.text(option).flatMap(Connector.of).fold("")(c => s", which begin with ${c.word}.")
        reader.errors.add(s"the ${option.key} rejects its options$which: ${reason(e)}.")
    }

  private def reason(e: Throwable): String = e match {
    case known: StoplogArgumentException if known.getMessageParameters.containsKey("problems") =>
      known.getMessageParameters
        .get("problems")
        .linesIterator
        .map(_.trim.stripPrefix("- "))
        .filter(_.nonEmpty)
        .mkString(" ")
        .stripSuffix(".")
    case other => String.valueOf(other.getMessage).stripSuffix(".")
  }
}

/** Detects options that no part of the sink reads. A misspelled option must not silently have its default:
  * `commiter` would turn exactly once into at least once.
  */
private[wal] object UnknownOptions {

  /** Returns a sentence for each unknown option. Returns nothing if a user-defined class is configured,
    * because only such a class knows its options.
    */
  def of(reader: OptionReader): Seq[String] = {
    val words = Seq(WriteAheadOptions.Sender, WriteAheadOptions.Committer).flatMap(reader.text)
    if (words.forall(isOwn)) reader.others.map(_._1).filterNot(isRead).map(sentence) else Nil
  }

  private def isOwn(word: String): Boolean =
    Connector.of(word).isDefined || Seq("http", "files").contains(lower(word.trim))

  // Whether a connector, the HTTP sender (as a header) or Spark reads the option.
  private def isRead(key: String): Boolean =
    SparkOptions.isSparks(key) || Seq("jdbc.", "cassandra.", "httpheader.").exists(lower(key).startsWith)

  private def sentence(key: String): String = otherNames.problem(key).getOrElse {
    Suggestion.of(key, WriteAheadOptions.all.map(_.key)) match {
      case Some(meant) => s"$key is not an option: did you mean $meant?"
      case None        => s"$key is not an option: remove it."
    }
  }

  private lazy val otherNames = OtherNames.ofConnector("wal")

  private def lower(text: String): String = text.toLowerCase(Locale.ROOT)
}
