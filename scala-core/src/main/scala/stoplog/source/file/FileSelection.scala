// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

/** The files that a source reads.
  *
  * @param rules     the conditions on paths and times
  * @param readiness the conditions on a file that may still be written
  * @param finder    finds the files without a listing of all directories
  */
private[stoplog] final case class FileSelection(
    rules: PathRules,
    readiness: Readiness = Readiness.atOnce,
    finder: Option[FileFinder] = None
)
