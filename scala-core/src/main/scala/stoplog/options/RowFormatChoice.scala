package stoplog.options

/** How rows become bytes, as asked for. */
sealed trait RowFormatChoice extends Product with Serializable {

  /** The options that stand for it. */
  def toMap: Map[String, String]
}

object RowFormatChoice {

  /** A format that comes with stoplog.
    *
    * @param name
    *   `text`, `json` or `csv`
    */
  final case class BuiltIn(name: String) extends RowFormatChoice {
    override def toMap: Map[String, String] = Map(SinkOptionRegistry.RowFormat.key -> name)
  }

  /** The user's own [[stoplog.format.Encoder]].
    *
    * @param reference
    *   a class name, or an instance in the form of [[UserObject.reference]]
    */
  final case class UserEncoder(reference: String) extends RowFormatChoice {
    override def toMap: Map[String, String] = Map(SinkOptionRegistry.Encoder.key -> reference)
  }
}
