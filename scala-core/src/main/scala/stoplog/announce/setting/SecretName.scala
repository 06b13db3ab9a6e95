// SPDX-License-Identifier: Apache-2.0
package stoplog.announce.setting

import java.nio.file.{Files, Path}

import scala.util.Try

import org.apache.spark.SparkEnv

import stoplog.options.OptionType

/** The name of a secret. Options contain names of secrets only, because Spark and the log show options.
  *
  * @param described a noun for messages
  */
private[stoplog] final class SecretName private (
    override val toString: String,
    described: String,
    find: Secrets => Option[String]
) {

  /** Returns the secret of this moment, so that a secret can be replaced while the query runs.
    *
    * Throws `IllegalStateException` with the reason, a clause, if the secret is missing.
    */
  def read(secrets: Secrets): String = find(secrets).map(_.trim).filter(_.nonEmpty).getOrElse {
    throw new IllegalStateException(s"$described is missing or empty")
  }
}

private[stoplog] object SecretName {

  val values: OptionType[SecretName] =
    OptionType[SecretName]("`env:NAME`, `file:/path` or `conf:spark.name`", parse(_), _.toString)

  private def parse(text: String): Either[String, SecretName] = text.trim match {
    case s"env:$name" if name.nonEmpty =>
      Right(new SecretName(text.trim, s"the environment variable $name", _.environment(name)))
    case s"file:$path" if path.nonEmpty =>
      Right(new SecretName(text.trim, s"the file $path", _ => Try(Files.readString(Path.of(path))).toOption))
    case s"conf:$name" if name.nonEmpty =>
      Right(new SecretName(text.trim, s"the Spark setting $name", _.conf(name)))
    case _ =>
      Left(
        "does not name a secret; write env:NAME, file:/path or conf:spark.name, and never the secret itself"
      )
  }
}

/** Secrets of this process. */
private[stoplog] final class Secrets(
    val environment: String => Option[String],
    val conf: String => Option[String]
)

private[stoplog] object Secrets {
  val ofProcess: Secrets = new Secrets(
    name => Option(System.getenv(name)),
    name => Option(SparkEnv.get).flatMap(_.conf.getOption(name))
  )
}
