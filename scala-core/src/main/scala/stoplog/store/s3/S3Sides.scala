// SPDX-License-Identifier: Apache-2.0
package stoplog.store.s3

import java.io.OutputStream

import org.apache.hadoop.fs.Path

import stoplog.store.hadoop.{HadoopDurability, HadoopFiles, HadoopSides}

/** Side files as objects: one PUT each. */
final class S3Sides(files: HadoopFiles, sinkId: String)
    extends HadoopSides(files, sinkId, HadoopDurability.Process) {
  @transient private lazy val objects = new S3Objects(files)

  override def discard(tokens: Seq[String]): Unit =
    files.writing(files.at(tokens.headOption.getOrElse("")))(objects.delete(tokens))

  protected override def write(path: Path, content: OutputStream => Unit): Unit =
    objects.put(files.relative(path))(content)
}
