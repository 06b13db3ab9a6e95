// SPDX-License-Identifier: Apache-2.0
import scala.xml.{Elem, Node, NodeSeq}
import scala.xml.transform.{RewriteRule, RuleTransformer}

/** Keeps in the POM only the Spark that the user provides, so that `--packages` resolves a single artifact.
  *
  * The Scala library goes too: Spark brings it, and its own copy must win.
  */
object ThinPom {

  def apply(pom: Node): Node = new RuleTransformer(keepOnlyProvidedSpark).transform(pom).head

  private val keepOnlyProvidedSpark: RewriteRule = new RewriteRule {
    override def transform(node: Node): Seq[Node] = node match {
      case e: Elem if e.label == "dependency" && !isProvidedSpark(e) => NodeSeq.Empty
      case other                                                     => other
    }
  }

  private def isProvidedSpark(dependency: Node): Boolean =
    (dependency \ "groupId").text == "org.apache.spark" && (dependency \ "scope").text == "provided"
}
