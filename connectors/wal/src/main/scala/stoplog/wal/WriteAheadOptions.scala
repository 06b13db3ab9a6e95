package stoplog.wal

import scala.util.control.NonFatal

import stoplog.options._

/** What a write-ahead sink was asked to do.
  *
  * @param passed all options, for the sender and the committer
  */
private[wal] final case class WriteAheadOptions(
    sender: RowSender,
    committers: CheckpointCommitters,
    log: LogOptions,
    passed: Map[String, String]
)

/** The options, once. */
private[wal] object WriteAheadOptions extends OptionForms {

  case object Sending extends OptionGroup("Where rows are sent")

  val Sender: SinkOption = required(
    Sending,
    "sender",
    "`http` or a class name",
    "What sends the rows. `http`: posts them as JSON lines. Else the name of a class that extends `stoplog.wal.RowSender` " +
      "and has a public constructor without arguments. It gets all options of the write, its own included.",
    "com.example.WebhookSender"
  )

  val Committer: SinkOption = withDefault(
    Sending,
    "committer",
    "`files` or a class name",
    "files",
    "What remembers which chunks have been sent. `files`: empty files in the sink's log. Else the name of a class that " +
      "extends `stoplog.wal.CheckpointCommitters`, which may keep its notes in the target itself.",
    "com.example.NotesInTarget"
  )

  val groups: Seq[OptionGroup] = Seq(Sending, HttpOptions.Http, OptionGroup.Recovery)

  val all: Seq[SinkOption] = Seq(Sender, Committer) ++ HttpOptions.all ++ LogOptions.all

  /** Error: `STOPLOG_INVALID_OPTIONS` with all problems at once. */
  def parse(options: Map[String, String]): WriteAheadOptions = {
    val problems = new Problems
    val asked    = new AskedOptions(options.toSeq, problems, all)
    if (!asked.isSet(Sender))
      problems.add("sender is not set: set it to http, or to the name of a class that extends RowSender.")
    val sender = asked.text(Sender).flatMap {
      case http if http.trim.equalsIgnoreCase("http") =>
        HttpOptions.read(options.toSeq, problems)
        Some(new HttpSender)
      case named => asked.userObject(Sender, named, classOf[RowSender])
    }
    val committers = asked.text(Committer).filterNot(_.equalsIgnoreCase("files")) match {
      case None        => Some(new FileCommitters)
      case Some(named) => asked.userObject(Committer, named, classOf[CheckpointCommitters])
    }
    val log = LogOptions.parse(asked)
    sender.filterNot(_.isInstanceOf[HttpSender]).foreach { made =>
      try made.target(Caseless(options))
      catch { case NonFatal(e) => problems.add(s"the sender refuses its options: ${e.getMessage}.") }
    }
    problems.throwIfAny()
    WriteAheadOptions(sender.get, committers.get, log, options)
  }
}
