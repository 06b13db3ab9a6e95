// SPDX-License-Identifier: Apache-2.0
package stoplog.delta

import java.io.{FileNotFoundException, IOException}
import java.nio.charset.StandardCharsets.UTF_8

import io.delta.kernel.commit.{CommitFailedException, CommitMetadata, CommitResponse, Committer}
import io.delta.kernel.data.Row
import io.delta.kernel.defaults.internal.json.JsonUtils
import io.delta.kernel.engine.Engine
import io.delta.kernel.internal.files.ParsedPublishedDeltaData
import io.delta.kernel.utils.CloseableIterator

import stoplog.error.StoplogException
import stoplog.storage.{FileStore, PutOutcome}

/** Creates the file of a version by the storage of the sink, which creates a file once on every file system
  * and on S3. The log stores of Delta are exclusive in one process alone, on local disks and on S3.
  *
  * @param files under the path of the table
  */
private[delta] final class LogCommitter(files: FileStore) extends Committer {

  override def commit(
      engine: Engine,
      actions: CloseableIterator[Row],
      metadata: CommitMetadata
  ): CommitResponse = {
    val path = metadata.getPublishedDeltaFilePath
    val name = s"${DeltaTable.LogDirectory}/${path.drop(path.lastIndexOf('/') + 1)}"
    try
      files.putIfAbsent(name, textOf(actions).getBytes(UTF_8)) match {
        case PutOutcome.Created =>
          new CommitResponse(ParsedPublishedDeltaData.forFileStatus(statusOf(engine, path)))
        case PutOutcome.Taken => throw new CommitFailedException(true, true, s"the table has another $name")
      }
    catch {
      case e @ (_: IOException | _: StoplogException) =>
        throw new CommitFailedException(true, false, String.valueOf(e.getMessage), e)
    }
  }

  private def textOf(actions: CloseableIterator[Row]): String = {
    val lines = new StringBuilder
    while (actions.hasNext) lines.append(JsonUtils.rowToJson(actions.next())).append('\n')
    lines.result()
  }

  private def statusOf(engine: Engine, path: String) =
    try engine.getFileSystemClient.getFileStatus(path)
    catch { case e: FileNotFoundException => throw new IOException(e) }
}
