// SPDX-License-Identifier: Apache-2.0
package stoplog.mutants

import scala.collection.mutable
import scala.meta._

/** One changed place of a source file. Lines count from 1. */
case class Mutant(id: Int, file: String, line: Int, source: String, from: String, to: String)

/** A source file with all its mutants in it, each behind a question to [[Active]], and where their text went. */
class Instrumented private (val file: String, val text: String, val mutants: Seq[Mutant])

object Instrumented {
  private val marker = "/*mutant "

  /** @param without mutants that do not compile */
  def apply(file: String, source: String, firstId: Int, without: Set[Int]): Instrumented = {
    val writer = new Writer(file, source, firstId, without)
    val tree   = dialects.Scala213(Input.VirtualFile(file, source)).parse[Source].get
    new Instrumented(file, writer.render(tree), writer.mutants)
  }

  /** The mutant in whose text the compiler found an error; or else the last before it, which may have given a value
    * another type.
    */
  def mutantAt(text: String, offset: Int): Option[Int] = {
    val starts =
      raw"/\*mutant (\d+)\*/".r.findAllMatchIn(text).map(found => found.group(1).toInt -> found.start)
    val ranges = starts.map { case (id, start) => (id, start, text.indexOf(s"${marker}end $id*/", start)) }
    val before = ranges.takeWhile { case (_, start, _) => start <= offset }.toSeq
    before.findLast { case (_, _, end) => offset <= end }.orElse(before.lastOption).map(_._1)
  }

  private class Writer(file: String, source: String, firstId: Int, without: Set[Int]) {
    private val found = mutable.ArrayBuffer.empty[Mutant]
    private var next  = firstId
    private val lines = source.linesIterator.toVector

    def mutants: Seq[Mutant] = found.toSeq

    def render(tree: Tree): String = tree match {
      case branch: Term.If =>
        val parts = Seq(branch.cond -> withCondition(branch.cond, loop = false)) ++
          Seq(branch.thenp, branch.elsep).map(part => part -> render(part))
        splice(tree, parts)
      case loop: Term.While =>
        splice(tree, Seq(loop.expr -> withCondition(loop.expr, loop = true), loop.body -> render(loop.body)))
      case block: Term.Block =>
        val last = block.stats.lastOption
        splice(
          tree,
          block.stats.map(stat => stat -> (if (last.exists(_ eq stat)) render(stat) else statement(stat)))
        )
      case call: Term.Apply if Mutators.isEntry(call) => tree.pos.text
      case _: Term.Interpolate                        => inner(tree)
      case function: Term.AnonymousFunction           => choice(tree, changesIn(function), tree.pos.text)
      case _                                          => choice(tree, Mutators(tree), inner(tree))
    }

    /** A choice in the middle of `_ + 1 > limit` would be a function itself: each change is one of the whole function. */
    private def changesIn(function: Term.AnonymousFunction): Seq[Mutators.Change] = {
      def below(tree: Tree): Seq[Tree] = tree +: terms(tree).flatMap(below)
      for {
        part   <- below(function.body)
        change <- Mutators(part)
      } yield {
        val isPlaced = part.collect { case placeholder: Term.Placeholder => placeholder }.nonEmpty
        val text     = if (isPlaced) change.text else s"(${change.text})"
        val whole    = function.pos.text
        val start    = part.pos.start - function.pos.start
        change.copy(text = whole.take(start) + text + whole.drop(start + part.pos.text.length))
      }
    }

    private def withCondition(tree: Term, loop: Boolean): String = {
      val known = Mutators.condition(tree, loop)
      choice(tree, known, render(tree))
    }

    private def statement(stat: Stat): String =
      if (!Mutators.isDroppable(stat)) render(stat)
      else {
        val text = render(stat)
        choice(
          stat,
          Seq(Mutators.Change(stat.pos.text.linesIterator.map(_.trim).mkString(" "), "", "()")),
          text
        )
      }

    private def inner(tree: Tree): String = splice(tree, terms(tree).map(child => child -> render(child)))

    /** The expressions below a tree, without its types, patterns, names and annotations. */
    private def terms(tree: Tree): Seq[Tree] = tree match {
      case clause: Case          => clause.cond.toSeq :+ clause.body
      case value: Defn.Val       => Seq(value.rhs)
      case variable: Defn.Var    => variable.children.lastOption.collect { case term: Term => term }.toSeq
      case method: Defn.Def      => method.paramClauseGroups ++ Seq(method.body)
      case parameter: Term.Param => parameter.default.toSeq
      case from: Enumerator.Generator => Seq(from.rhs)
      case value: Enumerator.Val      => Seq(value.rhs)
      case assign: Term.Assign        => Seq(assign.rhs)
      case infix: Term.ApplyInfix     => Seq(infix.lhs, infix.argClause)
      case texts: Term.Interpolate    => texts.args
      case call: Term.Apply           =>
        val of = call.fun match {
          case select: Term.Select => Seq(select.qual)
          case _: Term.Name        => Seq.empty
          case other               => Seq(other)
        }
        of :+ call.argClause
      case typed: Term.ApplyType =>
        typed.fun match {
          case select: Term.Select => Seq(select.qual)
          case _                   => Seq.empty
        }
      case select: Term.Select => Seq(select.qual)
      case _                   =>
        tree.children.filter {
          case _: Mod | _: Type | _: Import | _: Self | _: Name => false
          case _                                                => true
        }
    }

    private def choice(tree: Tree, changes: Seq[Mutators.Change], original: String): String = {
      val branches = changes.flatMap { change =>
        val id = next
        next += 1
        if (without(id)) None
        else {
          val line = tree.pos.startLine
          found += Mutant(id, file, line + 1, lines(line).trim, change.from, change.to)
          Some(
            s"if (_root_.stoplog.mutants.Active($id)) /*mutant $id*/ (${change.text}) /*mutant end $id*/ else "
          )
        }
      }
      if (branches.isEmpty) original else branches.mkString("(", "", s"{ $original })")
    }

    private def splice(tree: Tree, parts: Seq[(Tree, String)]): String = {
      val text    = new StringBuilder
      var at      = tree.pos.start
      val ordered = parts.filter { case (part, _) => part.pos.end > part.pos.start }.sortBy(_._1.pos.start)
      for ((part, rendered) <- ordered) {
        text ++= source.substring(at, part.pos.start) ++= rendered
        at = part.pos.end
      }
      (text ++= source.substring(at, tree.pos.end)).toString
    }
  }
}
