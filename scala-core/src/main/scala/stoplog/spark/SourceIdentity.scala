// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import java.io.FileNotFoundException
import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Using

import stoplog.error.Errors
import stoplog.source.log.StateFiles

/** What a checkpoint's splits are of, in a file of its own beside them. */
private[spark] object SourceIdentity {

  /** Error: `STOPLOG_SOURCE_PATH_CHANGED` when the checkpoint's first run read something else.
    *
    * A checkpoint that does not say, because it is new or is older than this file, belongs to what is asked for now.
    */
  def check(identity: Option[String], state: StateFiles): Unit = identity.foreach { asked =>
    recorded(state) match {
      case Some(`asked`) => ()
      case Some(other)   => throw Errors.sourcePathChanged(other, asked, state.describe(Name))
      case None          =>
        state.putIfAbsent(Name)(_.write(asked.getBytes(UTF_8)))
        ()
    }
  }

  private def recorded(state: StateFiles): Option[String] =
    try Some(Using.resource(state.open(Name))(in => new String(in.readAllBytes(), UTF_8)))
    catch { case _: FileNotFoundException => None }

  private final val Name = "identity"
}
