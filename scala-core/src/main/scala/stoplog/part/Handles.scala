// SPDX-License-Identifier: Apache-2.0
package stoplog.part

/** The handle by which a store makes a closed part visible, from any JVM, any number of times.
  *
  * The token is the store's own text and means nothing to other code; it goes into the commit log as it is. It
  * never holds an absolute path, so that a directory can be moved with its log.
  */
sealed trait Publish extends Product with Serializable {
  def token: String
}

/** The handle of a part to which no writer will append any more. */
final case class Closed(token: String) extends Publish

/** The handle of a part that can be published where it stands, or appended to. */
final case class Resume(token: String) extends Publish
