// SPDX-License-Identifier: Apache-2.0
package stoplog.source

import stoplog.laws.SplitSourceLaws

class FileSourceLawsSuite extends SplitSourceLaws[file.FileSplit, file.Line, String] {
  private val world = new file.SourceWorld

  // Few lines: one law plans a micro-batch for each byte, and looks at all earlier ones each time.
  for (n <- 1 to 5)
    world.files.put(s"dir/$n", (1 to 3 * n).map(line => s"$n-$line").mkString("\n"), n.toLong)

  override def source: SplitSource[file.FileSplit, file.Line, String] = world.source
}
