// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

/** Entries that users put into the header or footer of each file: the options `metadata.<key>`. */
private[format] object FileMetadata {

  /** The prefix of these options; upper and lower case are the same. */
  val Prefix: String = "metadata."

  /** By key, whose case counts. */
  def apply(options: Map[String, String]): Map[String, String] = split(options)._1

  /** The entries by their keys, and the other options. */
  def split(options: Map[String, String]): (Map[String, String], Map[String, String]) = {
    val (metadata, others) = options.partition { case (key, _) =>
      key.regionMatches(true, 0, Prefix, 0, Prefix.length)
    }
    (metadata.map { case (key, value) => key.drop(Prefix.length) -> value }, others)
  }
}
