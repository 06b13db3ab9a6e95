// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import java.util.{Locale, ServiceLoader}

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import stoplog.announce.{AnnouncementTarget, TargetFactory}
import stoplog.commit.{
  AnnouncementCursor, AnnouncementLimits, Announcer, FirstAnnouncement, OnBacklog, OnRefused
}
import stoplog.error.{Redaction, StoplogArgumentException}
import stoplog.util.UserObject

/** The targets of announcements, and the limits for records that wait for targets. */
private[stoplog] final case class AnnounceOptions(
    targets: Vector[AnnounceOptions.Target],
    limits: AnnouncementLimits
) {

  /** Starts the threads of all targets for one log; `None` without a target.
    *
    * @param next the first record for new targets; see [[Announcer.start]]
    *
    * Errors: `STOPLOG_USER_CODE`, `STOPLOG_STORE_WRITE`.
    */
  def start(place: Announcer.Place, next: Option[Long] = None): Option[Announcer] =
    Option.when(targets.nonEmpty)(Announcer.start(place, targets.map(_.opened), limits, next))

  /** Starts the threads of the targets that the log knows: another writer has chosen its targets.
    *
    * Errors: as [[start]].
    */
  def resume(place: Announcer.Place, next: Option[Long] = None): Option[Announcer] = {
    val known = AnnouncementCursor.targets(place.files, place.logName).toSet
    copy(targets = targets.filter(target => known(target.name))).start(place, next)
  }

  /** Returns the options without these targets. */
  def without(names: Set[String]): AnnounceOptions =
    copy(targets = targets.filterNot(target => names(target.name)))

  /** The names of the targets. */
  def names: Set[String] = targets.map(_.name).toSet

  /** The names of the targets that start with a snapshot. */
  def listed: Set[String] = targets.filter(_.first == FirstAnnouncement.Snapshot).map(_.name).toSet

  /** The directories by which the tables of the targets are recognized, if the path itself is a table. */
  def tableEntries: Set[String] = targets.flatMap(_.tableEntry).toSet
}

private[stoplog] object AnnounceOptions extends OptionList(OptionGroup.Announce) {

  val Announce: Opt[String] = option(
    "announce",
    OptionType.userClass.as("kind or class name"),
    "com.example.Announced"
  )(
    "none",
    "Announces visible files and complete buckets to other systems: set `announce.<name>` to the kind of a " +
      "target, or to the name of a class that extends `stoplog.announce.AnnouncementTarget`. Several names " +
      "are possible. `announce.<name>.<setting>` is a setting of the target. Settings of all targets: " +
      "`start` = `newest` (the default: records after the newest record) or `snapshot` (first all visible " +
      "files; in batch jobs, for targets new to the path); `onRefused` = `stop` (the default) or `skip`, if the " +
      "target rejects an announcement. A target never delays the query."
  )

  val AnnounceBacklog: Opt[Backlog] = withDefault("announceBacklog", Backlog.values, Backlog(), "5000, 1d")(
    "The largest number of records that the log keeps for targets, in addition to the 100 newest records, and " +
      "the age from which a waiting record is no longer announced. One of the two is enough. Beyond a limit " +
      "`announceOnBacklog` applies."
  )

  val AnnounceOnBacklog: Opt[OnBacklog] = choice[OnBacklog](
    "announceOnBacklog",
    "gap"  -> OnBacklog.Gap,
    "fail" -> OnBacklog.Fail
  )(
    "fail",
    "The reaction to a target with too many or too old waiting records. `gap`: the target receives the " +
      "numbers of the records that it misses, and must list the path. `fail`: the query fails before its " +
      "next epoch, and no announcement is lost."
  )

  val AnnounceAtEnd: Opt[Long] = withDefault("announceAtEnd", OptionType.span, 10 * 1000L, "1m")(
    "The time for which the end of a query or of a batch job waits for targets. The next start, or the " +
      "command `announce`, delivers the rest."
  )

  /** The limits of records that wait for targets. */
  final case class Backlog(records: Int = 1000, ageMillis: Long = 7 * 24 * 60 * 60 * 1000L)

  private object Backlog {

    val values: OptionType[Backlog] = OptionType[Backlog](
      "whole number, time, or both, separated by a comma",
      parse(_),
      backlog => s"${backlog.records}, ${TimeSpan.render(backlog.ageMillis)}"
    )

    private def parse(text: String): Either[String, Backlog] = {
      val (counts, times) = text.split(",", -1).map(_.trim).toSeq.partition(_.forall(_.isDigit))
      if (counts.size > 1 || times.size > 1) Left("is not a number and a time, such as 5000, 1d")
      else
        for {
          records <- limit(counts, OptionType.count, Backlog().records)
          age     <- limit(times, OptionType.span, Backlog().ageMillis)
        } yield Backlog(records, age)
    }

    private def limit[T](texts: Seq[String], values: OptionType[T], default: T): Either[String, T] =
      texts.headOption.fold[Either[String, T]](Right(default))(values.parse)
  }

  /** One target. Creates the object that delivers announcements.
    *
    * @param kind     the kind of a factory, or the reference of a class or an instance
    * @param settings the settings of the target, without the settings of all targets
    */
  final case class Target(
      name: String,
      kind: String,
      settings: Map[String, String],
      first: FirstAnnouncement,
      onRefused: OnRefused
  ) {

    /** Errors: `STOPLOG_USER_CODE`; `IllegalArgumentException` of a factory. */
    def create(): AnnouncementTarget = factory(kind) match {
      case Some(found) => found.create(name, UserObject.caseless(settings))
      case None        =>
        UserObject.load(UserObject.named(kind, settings), classOf[AnnouncementTarget], s"announce.$name")
    }

    private[AnnounceOptions] def tableEntry: Option[String] = factory(kind).flatMap(_.tableEntry)

    private[AnnounceOptions] def opened: Announcer.Target = Announcer.Target(name, create(), first, onRefused)

    override def toString: String = Redaction.options(s"announce.$name", settings + ("kind" -> kind))
  }

  def parse(reader: OptionReader): AnnounceOptions = {
    val entries = reader.parametersOf(Announce)
    if (reader.isSet(Announce))
      reader.errors.add("announce is the prefix of targets: set announce.<name> to the kind of a target.")
    if (entries.isEmpty)
      reader.withoutEffect(
        Seq(AnnounceBacklog, AnnounceOnBacklog, AnnounceAtEnd),
        "unless announce.<name> is set"
      )
    AnnounceOptions(
      targets(reader, entries),
      AnnouncementLimits(
        reader(AnnounceBacklog).records,
        reader(AnnounceBacklog).ageMillis,
        reader(AnnounceOnBacklog),
        reader(AnnounceAtEnd)
      )
    )
  }

  private def targets(reader: OptionReader, entries: Seq[(String, String)]): Vector[Target] = {
    val (settings, kinds) = entries.partition(_._1.contains('.'))
    val byTarget          = settings
      .map { case (key, value) => (lower(key.takeWhile(_ != '.')), key.dropWhile(_ != '.').drop(1), value) }
      .groupMap(_._1) { case (_, setting, value) => setting -> value }
    for (name <- byTarget.keys.toVector.sorted if !kinds.exists(kind => lower(kind._1) == name))
      reader.errors.add(
        s"announce.$name.${byTarget(name).head._1} is a setting of a target, and announce.$name is not set."
      )
    kinds.toVector.sortBy(kind => lower(kind._1)).flatMap { case (name, kind) =>
      target(reader, name, kind.trim, byTarget.getOrElse(lower(name), Seq.empty))
    }
  }

  private def target(
      reader: OptionReader,
      name: String,
      kind: String,
      entries: Seq[(String, String)]
  ): Option[Target] =
    if (!name.matches(NamePattern)) {
      reader.errors.add(
        s"announce.$name: the name of a target has 1 to 64 letters A-Z a-z, digits, '_' or '-', and begins " +
          "with a letter or a digit."
      )
      None
    } else {
      val (common, own) = entries.partition { case (key, _) => Common.exists(_.equalsIgnoreCase(key)) }
      val made          = Target(
        lower(name),
        kind,
        own.toMap,
        word(reader, name, common, Start)(First).getOrElse(FirstAnnouncement.Newest),
        word(reader, name, common, Refused)(Refusals).getOrElse(OnRefused.Stop)
      )
      Option.when(isUsable(reader, made))(made)
    }

  private def word[T](reader: OptionReader, name: String, entries: Seq[(String, String)], setting: String)(
      words: Seq[(String, T)]
  ): Option[T] =
    entries.collectFirst { case (key, text) if key.equalsIgnoreCase(setting) => text }.flatMap { text =>
      val parsed = OptionType.oneOf(words)(text)
      parsed.left.foreach(why => reader.errors.add(s"announce.$name.$setting = '$text' $why."))
      parsed.toOption
    }

  /** Creates the target once, so that all problems are known before the query starts. */
  private def isUsable(reader: OptionReader, target: Target): Boolean = {
    val unknown = factory(target.kind).toVector.flatMap { found =>
      target.settings.keys.filterNot(found.permits).map(key => (found, key))
    }
    for ((found, key) <- unknown) {
      val near = Suggestion.of(key, (found.settings ++ Common).toSeq.sorted).fold("")(s => s"; perhaps $s")
      reader.errors.add(s"announce.${target.name}.$key is not a setting of '${target.kind}'$near.")
    }
    unknown.isEmpty && isMade(reader, target)
  }

  private def isMade(reader: OptionReader, target: Target): Boolean =
    try {
      target.create().close()
      true
    } catch {
      case e: StoplogArgumentException =>
        val said = e.getMessageParameters
        val near = Suggestion.of(target.kind, kinds).fold("")(s => s"; perhaps $s")
        val list = if (kinds.isEmpty) "" else s" The kinds of targets are ${kinds.mkString(", ")}$near."
        reader.errors.add(s"announce.${target.name} names ${said.get("reference")}: ${said.get("why")}.$list")
        false
      case NonFatal(e) =>
        reader.errors.add(Redaction.text(s"announce.${target.name}: ${String.valueOf(e.getMessage)}."))
        false
    }

  private def kinds: Seq[String] = factories.map(_.kind).sorted

  private def factory(kind: String): Option[TargetFactory] = factories.find(_.kind.equalsIgnoreCase(kind))

  /** Reads the factories of all jars, also of jars that were added to the session. */
  private def factories: Vector[TargetFactory] =
    Seq(Thread.currentThread.getContextClassLoader, getClass.getClassLoader)
      .filter(_ != null)
      .flatMap(loader => ServiceLoader.load(classOf[TargetFactory], loader).asScala)
      .distinctBy(_.getClass.getName)
      .toVector

  private def lower(text: String): String = text.toLowerCase(Locale.ROOT)

  private final val NamePattern = "[A-Za-z0-9][A-Za-z0-9_-]{0,63}"
  private final val Start       = "start"
  private final val Refused     = "onRefused"

  private val Common = Seq(Start, Refused)

  private val First = Seq("newest" -> FirstAnnouncement.Newest, "snapshot" -> FirstAnnouncement.Snapshot)

  private val Refusals = Seq("stop" -> OnRefused.Stop, "skip" -> OnRefused.Skip)
}
