// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import org.apache.hadoop.conf.Configuration

/** Hadoop's own settings, read once: a `new Configuration()` reads thousands of lines of XML, which took a third of the
  * time of the suites that make one for each store.
  */
object HadoopDefaults {
  private lazy val read = new Configuration()

  /** A configuration of the caller's own, as `new Configuration()` is. */
  def configuration(): Configuration = {
    read.size() // reads them, and again once a file system has added defaults of its own
    new Configuration(read)
  }
}
