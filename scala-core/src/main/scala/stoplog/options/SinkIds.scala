// SPDX-License-Identifier: Apache-2.0
package stoplog.options

/** Names of commit logs: safe as a directory's name on every store. */
private[stoplog] object SinkIds {

  def parse(text: String): Either[String, String] =
    if (text == DirectoryOptions.SinkId) Left("is the name of the log of directories that are compacted")
    else
      Either.cond(
        Form.matches(text),
        text,
        "must be 1 to 64 letters A-Z a-z, digits, '.', '_' or '-', and begin with a letter or a digit"
      )

  private val Form = "[A-Za-z0-9][A-Za-z0-9._-]{0,63}".r
}
