// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import stoplog.storage.{SourceFile, SourceFiles}

/** Finds the files of a source, in place of a listing of all directories: for the option `fileEnumerator`, by the name of
  * a class that extends this and has a public constructor without arguments or of a map of its parameters, or as an
  * instance. It is Flink's `FileEnumerator`; it tells files, and [[isSplittable]] which of them may be cut.
  *
  * {{{
  * /** The files that a manifest lists. */
  * final class ManifestFinder extends FileFinder {
  *   def find(files: SourceFiles, rules: PathRules)(each: SourceFile => Unit): Unit =
  *     for (path <- manifest(files); found <- files.find(path); file <- found.file(path)) each(file)
  * }
  * }}}
  */
trait FileFinder extends Serializable {

  /** Tells all files, those that were told before as well: the source knows the new ones. A file that is left out two
    * times in a row counts as gone, and is new if it comes back.
    *
    * Called on the driver, by one thread at a time. An exception ends the query, which can be started again.
    *
    * @param files of the storage, by their paths below what the options `path` have in common
    * @param rules what `path`, `pathGlobFilter` and `recursiveFileLookup` ask for, which nothing but the finder looks at;
    *              and with `minDesiredSplits` how many tasks run side by side
    * @param each  is to be called by one thread at a time, in any order, with the length and time that the storage tells of
    *              the file: a file that is read in pieces is held to them
    */
  def find(files: SourceFiles, rules: PathRules)(each: SourceFile => Unit): Unit

  /** Whether a file may be read in pieces, where its format can: if not, one task of one micro-batch reads all of it. */
  def isSplittable(file: SourceFile): Boolean = true
}

object FileFinder {

  /** All files below the paths, none of them in pieces. */
  case object NonSplitting extends FileFinder {
    override def find(files: SourceFiles, rules: PathRules)(each: SourceFile => Unit): Unit =
      DirectoryWalker.run(files, rules, DirectoryWalker.Threads)(each)

    override def isSplittable(file: SourceFile): Boolean = false
  }
}
