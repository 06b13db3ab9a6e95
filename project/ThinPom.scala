import scala.xml.{Elem, Node, NodeSeq}
import scala.xml.transform.{RewriteRule, RuleTransformer}

/** Keeps in the POM only what a user's Spark provides, so that `--packages` resolves a single artifact. */
object ThinPom {

  def apply(pom: Node): Node = new RuleTransformer(dropTestDependencies).transform(pom).head

  private val dropTestDependencies: RewriteRule = new RewriteRule {
    override def transform(node: Node): Seq[Node] = node match {
      case e: Elem if e.label == "dependency" && (e \ "scope").text == "test" => NodeSeq.Empty
      case other                                                             => other
    }
  }
}
