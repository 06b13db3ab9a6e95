// SPDX-License-Identifier: Apache-2.0
package stoplog.compact

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FSDataInputStream, Path}

/** A finished file that is to be merged with others.
  *
  * @param configuration under which the path's file system is reached
  */
final case class CompactionInput(path: Path, sizeBytes: Long, configuration: Configuration) {

  /** Its bytes, from the beginning; the caller closes it. Can be positioned anywhere. */
  def open(): FSDataInputStream = path.getFileSystem(configuration).open(path)
}
