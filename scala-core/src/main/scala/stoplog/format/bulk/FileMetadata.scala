package stoplog.format.bulk

import java.util.Locale

/** Entries that users put into the header or footer of each file: the options `metadata.<key>`. */
private[format] object FileMetadata {

  /** By key, whose case counts. */
  def apply(options: Map[String, String]): Map[String, String] = options.collect {
    case (option, value) if option.toLowerCase(Locale.ROOT).startsWith(Prefix) =>
      option.drop(Prefix.length) -> value
  }

  private val Prefix = "metadata."
}
