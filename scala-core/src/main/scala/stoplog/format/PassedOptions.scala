// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap

/** The sink's options as Spark's own writers of text, json and csv may see them. */
private[format] object PassedOptions {

  // Spark knows its own list of codecs; ours are applied around the encoder, so it must not judge the name.
  private val ours = Seq("compression", "codec")

  def apply(options: Map[String, String]): CaseInsensitiveMap[String] =
    CaseInsensitiveMap(options.filterNot { case (name, _) => ours.exists(_.equalsIgnoreCase(name)) })
}
