// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import scala.collection.mutable
import scala.util.control.{Breaks, NonFatal}

import stoplog.error.{Causes, Errors, Log}

/** Rejects paths whose files belong to another log or to a table format. stoplog must not replace, compact or
  * read such files individually.
  *
  * @param ours the tables that stoplog owns, or that its readers may read as plain files
  */
private[stoplog] final class ForeignOwners(ours: OwnTables = OwnTables.AtPath.Log) {
  import ForeignOwners._

  /** Checks a listing. Makes no request to the storage.
    *
    * @param path as the user wrote it
    * @param files of the listing, for messages
    * Error: `STOPLOG_FOREIGN_TABLE`.
    */
  def refuseBelow(path: String, files: FileStore, listing: VisibleListing): Unit =
    below(listing).foreach(found => throw refusal(path, files.describe(found.directory), found))

  /** Checks the listing of a scope, and the directories between the path and the directories of the scope. A
    * link in the way may lead into another table.
    *
    * Errors: `STOPLOG_FOREIGN_TABLE`; `STOPLOG_PATH_NOT_WRITABLE` for a link to a directory that the scope
    * covers in part.
    */
  def refuseIn(path: String, files: FileStore, scope: VisibleFiles.Scope, listing: VisibleListing): Unit = {
    refuseBelow(path, files, listing)
    listing.partial.headOption.foreach { link =>
      throw Errors.pathNotWritable(path, behindLink(files.describe(link)))
    }
    scope match {
      case VisibleFiles.Scope.Directories(paths)                     => refuseBetween(path, files, paths)
      case VisibleFiles.Scope.Exactly(paths)                         => refuseBetween(path, files, paths)
      case VisibleFiles.Scope.Whole | _: VisibleFiles.Scope.Selected => ()
    }
  }

  /** Checks the name of the path, and the directories above the path.
    *
    * A directory that this process may not read counts as a directory without a table: a user may only have
    * rights below the path. In this case the method logs one warning.
    *
    * @param path  as the user wrote it
    * @param root  the path with all its names
    * @param above the files under each directory above the path ([[Storage.above]])
    * Error: `STOPLOG_FOREIGN_TABLE`.
    */
  def refuseAbove(path: String, root: String, above: Iterator[FileStore]): Unit = {
    var unread = Vector.empty[String]
    hive("", nameOf(root)).filterNot(isOurs(Place.Below)).foreach(found => throw refusal(path, root, found))
    above.foreach { files =>
      val directory = files.describe("")
      val found     =
        try
          of(files, "", nameOf(directory))
        catch {
          case NonFatal(e) if OpenFailure.isDenied(e) =>
            unread :+= s"$directory (${Causes.reason(e)})"
            Vector.empty
        }
      found.filterNot(isOurs(Place.Above)).headOption.foreach(owner => throw refusal(path, directory, owner))
    }
    if (unread.nonEmpty)
      Log.warn(
        s"The search for tables above $path skips unreadable directories: ${unread.mkString(", ")}"
      )
  }

  /** Checks the path, and all directories between the path and these directories. A listing of only these
    * directories does not cover them.
    *
    * Error: `STOPLOG_FOREIGN_TABLE`.
    */
  def refuseBetween(path: String, files: FileStore, directories: Vector[String]): Unit = {
    val between = directories.flatMap(VisibleFiles.parents).toSet + ""
    between.toVector.sorted.foreach { directory =>
      of(files, directory, nameOf(directory))
        .filterNot(isOurs(Place.Below))
        .headOption
        .foreach(found => throw refusal(path, files.describe(directory), found))
    }
  }

  private def behindLink(link: String): String =
    s"$link is a link, and only a part of the files behind the link is to be replaced. A job replaces no " +
      "files behind a link, because they may belong to another table. Nothing was changed. Put the " +
      "directory in place of the link, or overwrite all files behind the link"

  private def below(listing: VisibleListing): Option[ForeignOwner] = {
    val entries                                 = mutable.Map.empty[String, Entries]
    def see(path: String): Option[ForeignOwner] =
      if (!Entries.mayIdentify(nameOf(path))) None
      else {
        val directory = FileStore.directoryOf(path)
        entries.getOrElseUpdate(directory, new Entries(directory)).see(nameOf(path))
      }
    (listing.directories ++ listing.paths)
      .flatMap(see)
      .filterNot(isOurs(Place.Below))
      .minByOption(found => (found.directory, found.entry))
  }

  private def isOurs(place: Place)(found: ForeignOwner): Boolean = ours match {
    case OwnTables.AtPath(entries)  => place == Place.Below && found.directory.isEmpty && entries(found.entry)
    case OwnTables.Formats(formats) => formats(found.format)
  }
}

private[stoplog] object ForeignOwners {

  /** Returns the owners of a directory, found by the names in the directory. */
  private def of(files: FileStore, directory: String, name: String): Vector[ForeignOwner] = {
    val has  = entriesOf(files, directory)
    val kept = Kept.collect { case (entry, format) if has(entry) => ForeignOwner(directory, entry, format) }
    val iceberg =
      Option.when(has(Metadata) && namesInMetadata(files, directory).exists(_.contains(IcebergMetadata)))(
        ForeignOwner(directory, Metadata, TableFormat.Iceberg)
      )
    val paimon = Option.when(Paimon.forall(has))(ForeignOwner(directory, Paimon.head, TableFormat.Paimon))
    kept ++ iceberg ++ paimon ++ hive(directory, name)
  }

  /** Returns a check whether a directory has an entry with a name. Lists the directory, one request for most
    * directories. If a directory has more than `MostListed` entries, the listing stops and each further name
    * is a separate request.
    */
  private def entriesOf(files: FileStore, directory: String): String => Boolean = {
    val names   = mutable.Set.empty[String]
    val listing = new Breaks
    var isWhole = false
    listing.breakable {
      files.visit(directory, "") { entry =>
        if (names.size == MostListed) listing.break()
        names += entry.name
      }
      isWhole = true
    }
    if (isWhole) names else name => names(name) || files.stat(FileStore.path(directory, name)).isDefined
  }

  private def namesInMetadata(files: FileStore, directory: String): Vector[String] = {
    val metadata = FileStore.path(directory, Metadata)
    if (files.stat(metadata).exists(_.isDirectory)) files.names(metadata) else Vector.empty
  }

  /** Checks the entries of one directory, one after the other. */
  private[storage] final class Entries(directory: String) {
    private var ofPaimon = Set.empty[String]

    /** Returns the owner that is known from this entry and the entries before. */
    def see(name: String): Option[ForeignOwner] =
      if (!Entries.mayIdentify(name)) None
      else {
        if (Paimon.contains(name)) ofPaimon += name
        KeptNames
          .get(name)
          .map(ForeignOwner(directory, name, _))
          .orElse(
            Option.when(nameOf(directory) == Metadata && name.contains(IcebergMetadata))(
              ForeignOwner(FileStore.directoryOf(directory), Metadata, TableFormat.Iceberg)
            )
          )
          .orElse(
            Option
              .when(ofPaimon.size == Paimon.size)(ForeignOwner(directory, Paimon.head, TableFormat.Paimon))
          )
          .orElse(hive(directory, name))
      }
  }

  private[storage] object Entries {

    /** Whether a name can identify an owner. False for most names. */
    def mayIdentify(name: String): Boolean =
      KeptNames.contains(name) || Paimon.contains(name) || name.contains(IcebergMetadata) ||
        isOfHive(name)
  }

  private def hive(directory: String, name: String): Option[ForeignOwner] =
    Option.when(isOfHive(name))(ForeignOwner(directory, "the name of a write", TableFormat.Hive))

  /** The pattern is slow for directories with many names. */
  private def isOfHive(name: String): Boolean =
    (name.startsWith("base_") || name.startsWith("delta_") || name.startsWith("delete_")) &&
      HiveWrite.matches(name)

  /** Creates the error. Names the path as the user wrote it, and the owner's directory as users know it. */
  private[storage] def refusal(path: String, directory: String, found: ForeignOwner) =
    Errors.foreignTable(path, directory, found.entry, found.format.name)

  /** Returns the name of a directory. Accepts a `/` at the end. */
  private def nameOf(directory: String): String = FileStore.nameOf(directory.stripSuffix("/"))

  private sealed trait Place
  private object Place {
    case object Above extends Place
    case object Below extends Place
  }

  /** The directory entries by which a table marks its files. */
  private val Kept = Vector(
    SinkDirectory.Root  -> TableFormat.Stoplog,
    "_spark_metadata"   -> TableFormat.Spark,
    "_delta_log"        -> TableFormat.Delta,
    ".hoodie"           -> TableFormat.Hudi,
    "_orc_acid_version" -> TableFormat.Hive,
    "_metadata_acid"    -> TableFormat.Hive
  )

  private val Metadata        = "metadata"
  private val IcebergMetadata = ".metadata.json"

  /** The directories that every table of Paimon has. */
  private val Paimon = Vector("snapshot", "manifest", "schema")

  /** Fewer than the entries of one page of a listing. */
  private val MostListed = 900

  private val KeptNames = Kept.toMap

  /** The directory name of a Hive transaction. */
  private val HiveWrite = """base_\d{7}(_v\d+)?|(delete_)?delta_\d{7}_\d{7}(_.*)?""".r
}

/** The tables that are not foreign to the caller. */
private[stoplog] sealed trait OwnTables extends Serializable
private[stoplog] object OwnTables {

  /** The tables at the path itself that are recognized by these directories. */
  final case class AtPath(entries: Set[String]) extends OwnTables
  object AtPath {

    /** The log of stoplog. */
    val Log: AtPath = AtPath(Set(SinkDirectory.Root))
  }

  /** Every table of these formats: at the path, above the path and below the path. */
  final case class Formats(formats: Set[TableFormat]) extends OwnTables
}

/** The writers that keep a list of their files. */
private[stoplog] sealed abstract class TableFormat(val name: String) extends Product with Serializable
private[stoplog] object TableFormat {
  case object Stoplog extends TableFormat("a sink of stoplog with that path")
  case object Spark   extends TableFormat("Spark's file sink")
  case object Delta   extends TableFormat("Delta Lake")
  case object Iceberg extends TableFormat("Iceberg")
  case object Hudi    extends TableFormat("Hudi")
  case object Paimon  extends TableFormat("Paimon")
  case object Hive    extends TableFormat("Hive")
}

/** A table that was found.
  *
  * @param directory relative to the root of the store in which the table was found
  * @param entry     of the directory, by which the table was recognized
  */
private[storage] final case class ForeignOwner(directory: String, entry: String, format: TableFormat)
