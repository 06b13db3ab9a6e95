// SPDX-License-Identifier: Apache-2.0
package stoplog.options

/** How Spark spreads the rows over the writers, as asked for. */
sealed trait Distribution extends Product with Serializable {

  /** The options that stand for it. */
  def toMap: Map[String, String] = Map(SinkOptionRegistry.Distribution.key -> word)

  /** How the option spells it. */
  def word: String
}

object Distribution {

  /** Left as they are. */
  case object Unspecified extends Distribution {
    override def word: String = "none"
  }

  /** The rows of one bucket go to one writer. */
  case object ByBucket extends Distribution {
    override def word: String = "byBucket"
  }

  /** Evenly over this many writers.
    *
    * @param count
    *   more than 0
    */
  final case class Writers(count: Int) extends Distribution {
    override def word: String = count.toString
  }

  private[options] def parse(text: String): Either[String, Distribution] =
    Seq(Unspecified, ByBucket).find(_.word.equalsIgnoreCase(text.trim)) match {
      case Some(word) => Right(word)
      case None       =>
        text.trim.toIntOption
          .filter(_ > 0)
          .map(Writers)
          .toRight("must be none, byBucket or a number of writers, more than 0")
    }
}
