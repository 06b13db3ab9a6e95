// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.nio.charset.StandardCharsets.UTF_8

import scala.collection.mutable
import scala.util.Using

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import stoplog.error.Errors
import stoplog.source._
import stoplog.storage.SourceFiles

/** A source of the data that a quarantine names as omitted, for a batch query. Together with the rows that
  * the first reading returned, each row is read once.
  *
  * A file may have been repaired or replaced since. If the length differs, the notes must have omitted the
  * whole file, or the records after a number of records that the new file still starts with. A file that was
  * tailed may be longer than at its last note.
  *
  * @param source reads the same files
  * @param pieces what is to be read
  */
private[stoplog] final class LeftOutSource[R, T] private (
    source: SplitSource[FileSplit, R, T],
    pieces: Vector[LeftOutSource.Piece]
) extends SplitSource[FileSplit, R, T] {
  override def describe: String                       = source.describe
  override def identity: Option[String]               = source.identity
  override def splits: VersionedSerializer[FileSplit] = source.splits
  override def emitter(): RecordEmitter[R, T]         = source.emitter()
  override def enumerator(context: EnumeratorContext[FileSplit]): SplitEnumerator[FileSplit] =
    new LeftOutSource.Listed(pieces.map(_.split))

  override def reader(): SplitReader[FileSplit, R] =
    new LeftOutSource.Reader(source, pieces.map(piece => piece.key -> piece).toMap)
}

private[stoplog] object LeftOutSource {

  /** Error: `STOPLOG_SOURCE_FILE_CHANGED` for a file of which the notes name a place that has changed;
    * `STOPLOG_SOURCE_FILE_SETTINGS` for a place that is found only with other settings;
    * `STOPLOG_INVALID_OPTIONS` for notes about files outside the source.
    *
    * @param files    the files of the source
    * @param splitter of the format
    * @param place    the notes
    */
  def of[R, T](
      source: SplitSource[FileSplit, R, T],
      files: SourceFiles,
      splitter: FileSplitter,
      place: StateFiles
  ): LeftOutSource[R, T] = {
    val notes = place.list().filter(_.endsWith(".json")).flatMap(notesIn(place, _)).distinct
    new LeftOutSource(
      source,
      notes.groupBy(_.file).toVector.sortBy(_._1).flatMap { case (file, ofFile) =>
        piecesOf(files, splitter, file, ofFile)
      }
    )
  }

  /** @param extent   of the rest of a piece; `None` for a single record
    * @param position of a record, in words
    * @param rest     `None` for a single record
    * @param isTailed whether the content of earlier states of the file is in the newest state
    */
  private final case class Note(
      file: String,
      bytes: Long,
      modifiedMillis: Long,
      position: String,
      rest: Option[Quarantine.Omitted.Rest],
      isTailed: Boolean
  ) {
    def extent: Option[Extent] = rest.map(_.piece)

    /** The number of records in front of the rest. */
    def records: Long = rest.fold(0L)(_.records)
  }

  /** The reader returns the rows after the skipped rows, and the skipped rows at the positions.
    *
    * @param skip      the number of rows that were read before, or noted one by one
    * @param positions of noted records
    */
  private final case class Piece(
      fileName: String,
      split: FileSplit,
      skip: Long,
      positions: Set[Long] = Set.empty
  ) {
    def key: (String, Extent) = (split.file.path, split.extent)
  }

  private def notesIn(place: StateFiles, name: String): Vector[Note] =
    Using
      .resource(place.open(name))(in => new String(in.readAllBytes(), UTF_8))
      .linesIterator
      .map { line =>
        val note = mapper.readTree(line)
        Note(
          note.get("file").asText,
          note.get("fileBytes").asLong,
          note.get("fileModifiedMillis").asLong,
          note.get("position").asText,
          Option(note.get("piece")).map { piece =>
            val framing = Option(note.get(Quarantine.Framing)).map(_.asText)
            Quarantine.Omitted.Rest(extent(piece), note.path("recordsRead").asLong, framing)
          },
          note.path(Quarantine.Tailed).asBoolean
        )
      }
      .toVector

  private def extent(text: JsonNode): Extent = text.asText match {
    case InBytes(from, until) => Extent.Bytes(from.toLong, until.toLong)
    case Records(from, until) => Extent.Records(from.toLong, until.toLong)
    case RecordsFrom(from)    => Extent.Records(from.toLong, Extent.ToTheEnd)
    case other => throw Errors.invalidOptions(Seq(s"readQuarantined has a note about '$other'."))
  }

  private def piecesOf(
      files: SourceFiles,
      splitter: FileSplitter,
      name: String,
      notes: Vector[Note]
  ): Vector[Piece] = {
    val path = pathOf(files, name)
    val file = files.find(path).flatMap(_.file(path)).map(files.committed).getOrElse {
      throw Errors.sourcePath(name, "the file of a note does not exist")
    }
    val own             = ofContent(notes)
    val isTailed        = own.head.isTailed
    val (rests, single) = own.partition(_.extent.isDefined)
    val whole           = splitter.whole(file)
    if (!isTailed && single.isEmpty && isWholeFile(rests)) Vector(Piece(name, whole, skip = 0))
    else {
      val before = own.map(_.bytes).max
      val isSame = if (isTailed) file.bytes >= before else file.bytes == before
      if (!isSame && (isTailed || rests.isEmpty || !rests.forall(_.extent.exists(isNumbered))))
        throw Errors.sourceFileChanged(name, s"$before bytes", s"${file.bytes} bytes")
      val pieces = rests.map { note =>
        val noted = FileSplit(file, note.extent.get, note.rest.flatMap(_.framing))
        Piece(name, rest(splitter, noted, note), note.records)
      }
      if (single.isEmpty) pieces
      else {
        // The rest of a small file is a piece of the whole file, too: one reading returns both.
        val (same, others) = pieces.partition(_.split == whole)
        val noted          = same.headOption.getOrElse(Piece(name, whole, skip = Long.MaxValue))
        others :+ noted.copy(positions = single.map(position).toSet)
      }
    }
  }

  /** Returns the split of a rest. With other settings, the number of read records has another meaning. */
  private def rest(splitter: FileSplitter, noted: FileSplit, note: Note): FileSplit =
    splitter
      .current(noted)
      .filter(split => split == noted || note.records == 0)
      .getOrElse(throw FileSplitter.otherSettings(note.file, s"${noted.extent} were recorded"))

  /** Returns the notes about the newest content of a file. A file that grew still has all noted data. */
  private def ofContent(notes: Vector[Note]): Vector[Note] = {
    val newest = notes.maxBy(_.modifiedMillis)
    if (!newest.isTailed) notes.filter(_.modifiedMillis == newest.modifiedMillis)
    else {
      val states  = notes.groupBy(note => (note.modifiedMillis, note.bytes)).toVector.sortBy(_._1).reverse
      val growing = states.zip(states.drop(1)).takeWhile { case (later, earlier) =>
        earlier._1._2 <= later._1._2
      }
      states.take(growing.size + 1).flatMap(_._2)
    }
  }

  /** Whether nothing of the file was read. */
  private def isWholeFile(rests: Vector[Note]): Boolean = rests.forall(_.records == 0) && {
    val extents = rests.flatMap(_.extent).sortBy(_.from)
    extents.head.from == 0 && (extents.last match {
      case Extent.Bytes(_, until)   => until >= rests.head.bytes
      case Extent.Records(_, until) => until == Extent.ToTheEnd
    }) && extents.zip(extents.drop(1)).forall { case (one, next) => one.until == next.from }
  }

  private def isNumbered(extent: Extent): Boolean = extent.isInstanceOf[Extent.Records]

  private def position(note: Note): Long = note.position match {
    case AtByte(at) => at.toLong
    case other      =>
      throw Errors.invalidOptions(
        Seq(
          s"readQuarantined names $other of ${note.file}: this format does not report the starts of records."
        )
      )
  }

  private def pathOf(files: SourceFiles, name: String): String = {
    val root = files.describe("")
    if (name == root) ""
    else if (name.startsWith(s"${root.stripSuffix("/")}/")) name.drop(root.stripSuffix("/").length + 1)
    else throw Errors.invalidOptions(Seq(s"readQuarantined has notes about $name, which is not below path."))
  }

  private val InBytes     = """bytes (\d+) to (\d+)""".r
  private val Records     = """records (\d+) to (\d+)""".r
  private val RecordsFrom = """records from (\d+)""".r
  private val AtByte      = """byte (\d+)""".r
  private val mapper      = new ObjectMapper

  private final class Listed(all: Vector[FileSplit]) extends SplitEnumerator[FileSplit] {
    private val waiting = mutable.ArrayDeque.from(all)

    override def discover(): Discovery            = Discovery.Complete
    override def next(): Option[FileSplit]        = waiting.removeHeadOption()
    override def takeBack(split: FileSplit): Unit = waiting.prepend(split): Unit
    override def snapshot(end: Long): Array[Byte] = Array.emptyByteArray
    override def fixTarget(): Unit                = ()
    override def close(): Unit                    = ()
    override def outstanding: Outstanding         =
      Outstanding(waiting.size.toLong, waiting.map(_.size.bytes).sum, None)
  }

  private final class Reader[R, T](
      source: SplitSource[FileSplit, R, T],
      pieces: Map[(String, Extent), Piece]
  ) extends SplitReader[FileSplit, R] {
    private val waiting                = mutable.ArrayDeque.empty[FileSplit]
    private val reader                 = source.reader()
    private var current: Option[Piece] = None
    private var left                   = 0L              // rows that are skipped, except noted records
    private var unfound                = Set.empty[Long] // positions of noted records

    override def add(splits: Seq[FileSplit]): Unit = {
      waiting ++= splits
      ()
    }

    override def fetch(): Fetched[FileSplit, R] = current match {
      case Some(piece) =>
        reader.fetch() match {
          case records: Fetched.Records[FileSplit, R] => new Wanted(piece, records)
          case Fetched.Nothing                        => Fetched.Nothing
          case Fetched.Finished                       =>
            refuseUnfound(piece)
            current = None
            Fetched.Nothing
        }
      case None if waiting.isEmpty => Fetched.Finished
      case None                    =>
        val split = waiting.removeHead()
        val piece = pieces((split.file.path, split.extent))
        current = Some(piece)
        left = piece.skip
        unfound = piece.positions
        reader.add(Seq(split))
        Fetched.Nothing
    }

    override def wakeUp(): Unit = reader.wakeUp()

    override def close(): Unit = reader.close()

    /** With another `charset` or `lineSep`, the positions are no starts of records, and the noted records
      * would be skipped silently. The reader has returned no record of an absent file.
      */
    private def refuseUnfound(piece: Piece): Unit =
      if (unfound.nonEmpty && left < piece.skip)
        throw FileSplitter.otherSettings(
          piece.fileName,
          s"no record starts at byte ${unfound.min}, which is recorded"
        )

    private final class Wanted(piece: Piece, records: Fetched.Records[FileSplit, R])
        extends Fetched.Records[FileSplit, R] {

      override def advance(): Boolean = {
        var more = records.advance()
        while (more && !isWanted) more = records.advance()
        more
      }

      override def record: R = records.record

      override def rest: Option[FileSplit] = None

      private def isWanted: Boolean = {
        val isNoted = piece.positions.nonEmpty && foundNoted
        left == 0 || {
          left -= 1
          isNoted || isHeader
        }
      }

      private def foundNoted: Boolean = records.record match {
        case located: Located =>
          val noted = located.position.filter(piece.positions)
          noted.foreach(at => unfound -= at)
          noted.isDefined
        case _ => false
      }

      /** Whether the record is the header, which the emitter checks, and which is no row. */
      private def isHeader: Boolean = records.record match {
        case line: Line => line.isHeader
        case _          => false
      }
    }
  }
}
