// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import stoplog.storage.{SourceFile, SourceFiles}

/** Finds the files of a source, in place of a listing of all directories. Corresponds to Flink's
  * `FileEnumerator`. Reports the files, and [[isSplittable]] decides which files may be cut. The option
  * `fileEnumerator` accepts an instance or the name of a class that extends this trait. The class needs a
  * public constructor without arguments or with a map of its parameters.
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

  /** Reports all files, including files reported before. The source determines the new files. A file that a
    * call reports several times, in any spelling of the path, is one file. A file that is missing for
    * `forgetMissingAfter` counts as gone, and counts as new after a reappearance.
    *
    * Called on the driver, by one thread at a time. An exception ends the query, which can be restarted.
    *
    * @param files of the storage, by the paths below the common root of the options `path`
    * @param rules from `path`, `pathGlobFilter` and `recursiveFileLookup`, which only the finder can apply.
    *   With `minDesiredSplits`, the number of parallel tasks
    * @param each  MUST be called by one thread at a time, in any order, with the length and time of the file
    *   as reported by the storage. Files that are read in pieces are checked against length and time
    */
  def find(files: SourceFiles, rules: PathRules)(each: SourceFile => Unit): Unit

  /** Whether a file may be read in pieces, if the format can be cut. If not, one task of one micro-batch
    * reads the file.
    */
  def isSplittable(file: SourceFile): Boolean = true
}

object FileFinder {

  /** All files below the paths, each read as a whole. */
  case object NonSplitting extends FileFinder {
    override def find(files: SourceFiles, rules: PathRules)(each: SourceFile => Unit): Unit =
      DirectoryWalker.run(files, rules, DirectoryWalker.Threads)(each)

    override def isSplittable(file: SourceFile): Boolean = false
  }
}
