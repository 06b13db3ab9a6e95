// SPDX-License-Identifier: Apache-2.0
package stoplog.announce.setting

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import stoplog.error.StoplogArgumentException
import stoplog.options.{Opt, OptionReader}

private[stoplog] object TargetSettings {

  /** Reads the settings of a target, which unlike options have no prefix.
    *
    * Throws `IllegalArgumentException` with all problems, each a sentence, without the last full stop.
    */
  def read[A](settings: JMap[String, String], known: Seq[Opt[_]])(parse: OptionReader => A): A = {
    val reader                    = new OptionReader(settings.asScala.toSeq, known)
    def refused(cause: Throwable) =
      new IllegalArgumentException(reader.errors.sentences.mkString(" ").stripSuffix("."), cause)
    try {
      val parsed = parse(reader)
      if (reader.errors.sentences.isEmpty) parsed else throw refused(null)
    } catch { case e: StoplogArgumentException if reader.errors.sentences.nonEmpty => throw refused(e) }
  }
}
