// SPDX-License-Identifier: Apache-2.0
package stoplog.format.orc

import scala.jdk.CollectionConverters._

import org.apache.orc.OrcProto.ColumnEncoding
import org.apache.orc.TypeDescription
import org.apache.orc.TypeDescription.Category

/** Which columns of text ended a stripe without a dictionary, in the form that `orc.column.encoding.direct` takes.
  *
  * orc-core's writer decides on a dictionary once in a file. A writer that has only the next stripe would decide again,
  * and fill its memory with dictionaries that come to nothing, so that its stripes are smaller.
  */
private[orc] object DirectColumns {

  /** @param encodings of all columns by their number, or none */
  def apply(schema: TypeDescription, encodings: Seq[ColumnEncoding]): Seq[String] =
    if (encodings.isEmpty) Nil else among(schema, prefix = "", encodings.map(_.getKind))

  private def among(struct: TypeDescription, prefix: String, kinds: Seq[ColumnEncoding.Kind]): Seq[String] =
    struct.getFieldNames.asScala.zip(struct.getChildren.asScala).toSeq.filter(_._1.forall(isPlain)).flatMap {
      case (name, column) if column.getCategory == Category.STRUCT => among(column, s"$prefix$name.", kinds)
      case (name, column) => Option.when(isDirect(texts(column), kinds))(s"$prefix$name")
    }

  // What would end a name in a list of paths.
  private def isPlain(character: Char): Boolean = character != '.' && character != ',' && character > ' '

  private def isDirect(texts: Seq[TypeDescription], kinds: Seq[ColumnEncoding.Kind]): Boolean =
    texts.nonEmpty && texts.map(text => kinds(text.getId)).forall(Direct)

  // A list or a map has no names for what is in it, but stands for all of that.
  private def texts(column: TypeDescription): Seq[TypeDescription] =
    if (Text(column.getCategory)) Seq(column)
    else Option(column.getChildren).fold(Seq.empty[TypeDescription])(_.asScala.toSeq.flatMap(texts))

  private val Text = Set(Category.STRING, Category.CHAR, Category.VARCHAR)

  private val Direct = Set(ColumnEncoding.Kind.DIRECT, ColumnEncoding.Kind.DIRECT_V2)
}
