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
    val reader = new OptionReader(settings.asScala.toSeq, known)
    try {
      val parsed = parse(reader)
      reader.errors.throwIfAny()
      parsed
    } catch {
      case e: StoplogArgumentException =>
        val problems = Option(e.getMessageParameters.get("problems")).getOrElse(e.getMessage)
        throw new IllegalArgumentException(problems.replace("\n  - ", " ").trim.stripSuffix("."), e)
    }
  }
}
