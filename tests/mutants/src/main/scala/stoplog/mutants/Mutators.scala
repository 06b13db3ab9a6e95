// SPDX-License-Identifier: Apache-2.0
package stoplog.mutants

import scala.meta._

/** What is changed in an expression, as the text that takes its place. */
object Mutators {
  case class Change(from: String, to: String, text: String)

  def apply(tree: Tree): Seq[Change] = tree match {
    case Lit.Boolean(value)                     => Seq(whole(tree, (!value).toString))
    case _: Lit.Int | _: Lit.Long               => Seq(whole(tree, s"($tree + 1)"))
    case Lit.String(value) if isWord(value)     => Seq(whole(tree, "\"mutant\""))
    case ApplyUnary(operand)                    => Seq(Change("!", "", s"($operand)"))
    case infix: Term.ApplyInfix                 => operators(infix)
    case Term.Apply.After_4_6_0(fun, _)         => calls(tree, fun)
    case select: Term.Select if isValue(select) => renamed(tree, select.name)
    case _                                      => Seq.empty
  }

  /** The condition of an `if` or a `while`. An endless loop would only run into the time limit. */
  def condition(tree: Term, loop: Boolean): Seq[Change] = {
    val known = tree match {
      case _: Lit => Seq.empty
      case _      => if (loop) Seq("false") else Seq("true", "false")
    }
    known.map(whole(tree, _))
  }

  /** A statement before others: a call or an assignment whose value is thrown away. A step at which tests of crashes
    * stop a process is none: it does nothing else, and those tests count the steps.
    */
  def isDroppable(statement: Stat): Boolean = statement match {
    case Term.Apply.After_4_6_0(Term.Select(Term.Name("faults"), Term.Name("at")), _)      => false
    case _: Term.Apply | _: Term.Assign | _: Term.ApplyInfix | _: Term.If | _: Term.Select => true
    case _                                                                                 => false
  }

  /** Keys, words and signs. What has a space in it is for people to read: its wording is nobody's contract. */
  private def isWord(text: String): Boolean = !text.exists(_.isWhitespace)

  private object ApplyUnary {
    def unapply(tree: Tree): Option[Term] = tree match {
      case unary: Term.ApplyUnary if unary.op.value == "!" => Some(unary.arg)
      case _                                               => None
    }
  }

  /** An entry of a registry of options: a key, examples and texts, which the generated pages of `docs/` hold. */
  def isEntry(call: Term.Apply): Boolean = call.fun match {
    case Term.Name(name) => Set("option", "withDefault", "required", "marker", "validLength")(name)
    case _               => false
  }

  private def whole(tree: Tree, to: String) = Change(short(tree), to, to)

  private def operators(infix: Term.ApplyInfix): Seq[Change] =
    operatorChanges.getOrElse(infix.op.value, Seq.empty).map(change(infix, infix.op, _)) ++
      renamed(infix, infix.op)

  /** `xs.filter(p)` becomes `xs.filterNot(p)`; `copy(a = b)` becomes what it copies. */
  private def calls(call: Tree, function: Term): Seq[Change] = function match {
    case Term.Name("copy")                  => Seq(whole(call, "this"))
    case Term.Select(of, Term.Name("copy")) => Seq(Change(short(call), short(of), of.toString))
    case select: Term.Select                => renamed(call, select.name)
    case name: Term.Name                    => renamed(call, name)
    case _                                  => Seq.empty
  }

  private def renamed(in: Tree, name: Term.Name): Seq[Change] =
    methodChanges.get(name.value).toSeq.map(change(in, name, _))

  private def change(in: Tree, name: Term.Name, to: String): Change = {
    val text  = in.pos.text
    val start = name.pos.start - in.pos.start
    Change(name.value, to, text.take(start) + to + text.drop(start + name.pos.text.length))
  }

  /** Alone, and not what is called or what a further name is selected from with arguments. */
  private def isValue(select: Term.Select): Boolean = select.parent.forall {
    case call: Term.Apply      => call.fun ne select
    case typed: Term.ApplyType => typed.fun ne select
    case assign: Term.Assign   => assign.lhs ne select
    case _                     => true
  }

  private def short(tree: Tree): String = tree.pos.text.linesIterator.map(_.trim).mkString(" ")

  private val operatorChanges: Map[String, Seq[String]] = Map(
    ">="  -> Seq(">", "<"),
    ">"   -> Seq(">=", "<="),
    "<="  -> Seq("<", ">"),
    "<"   -> Seq("<=", ">="),
    "=="  -> Seq("!="),
    "!="  -> Seq("=="),
    "eq"  -> Seq("ne"),
    "ne"  -> Seq("eq"),
    "&&"  -> Seq("||"),
    "||"  -> Seq("&&"),
    "+"   -> Seq("-"),
    "-"   -> Seq("+"),
    "*"   -> Seq("/"),
    "/"   -> Seq("*"),
    "%"   -> Seq("*"),
    "+="  -> Seq("-="),
    "-="  -> Seq("+="),
    "&"   -> Seq("|"),
    "|"   -> Seq("&"),
    "<<"  -> Seq(">>"),
    ">>"  -> Seq("<<"),
    ">>>" -> Seq("<<")
  )

  private val methodChanges: Map[String, String] = {
    val pairs = Seq(
      "filter"     -> "filterNot",
      "exists"     -> "forall",
      "isEmpty"    -> "nonEmpty",
      "min"        -> "max",
      "minBy"      -> "maxBy",
      "take"       -> "drop",
      "takeRight"  -> "dropRight",
      "takeWhile"  -> "dropWhile",
      "head"       -> "last",
      "headOption" -> "lastOption",
      "tail"       -> "init",
      "startsWith" -> "endsWith",
      "indexOf"    -> "lastIndexOf",
      "isBefore"   -> "isAfter",
      "plus"       -> "minus"
    )
    (pairs ++ pairs.map(_.swap)).toMap + ("isDefined" -> "isEmpty") + ("toLowerCase" -> "toUpperCase") +
      ("toUpperCase"                                  -> "toLowerCase")
  }
}
