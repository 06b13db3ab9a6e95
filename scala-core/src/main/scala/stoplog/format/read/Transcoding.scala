// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import java.io.InputStream
import java.nio.charset.Charset
import java.nio.charset.StandardCharsets.UTF_8

import org.apache.commons.io.input.ReaderInputStream

import stoplog.source.file.Decoding
import stoplog.storage.SourceFile

/** Makes UTF-8 of the bytes of files in another character set.
  *
  * Such files are read from their beginnings: where a character begins can be told only from there.
  */
final class Transcoding(charset: String, before: Decoding) extends Decoding {

  override def of(file: SourceFile): Option[InputStream => InputStream] = Some { in =>
    val bytes = before.of(file).fold(in)(_(in))
    ReaderInputStream
      .builder()
      .setReader(new java.io.InputStreamReader(bytes, Charset.forName(charset)))
      .setCharset(UTF_8)
      .get()
  }
}
