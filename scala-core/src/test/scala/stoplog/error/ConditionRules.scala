// SPDX-License-Identifier: Apache-2.0
package stoplog.error

import java.io.{
  ByteArrayInputStream, ByteArrayOutputStream, InputStream, ObjectInputStream, ObjectOutputStream
}
import java.net.URL

import scala.io.Source
import scala.jdk.CollectionConverters._
import scala.util.Using

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.{ErrorClassesJsonReader, SparkThrowable}
import org.scalatest.funsuite.AnyFunSuite

import stoplog.options.OtherNames

/** What is asked of the errors of stoplog and of each connector.
  *
  * @param file      of its own conditions; `None` for a connector that has only conditions of the core
  * @param one       an error of each constructor
  * @param connector the name of the connector in the file of other names of options
  */
abstract class ConditionRules(
    file: Option[URL],
    one: Seq[Throwable with SparkThrowable],
    connector: Option[String] = None
) extends AnyFunSuite {

  private lazy val conditions: Seq[String] = file.toSeq.flatMap { url =>
    val tree = Using.resource(url.openStream())(new ObjectMapper().readTree(_: InputStream))
    tree.fieldNames().asScala.toSeq
  }

  private lazy val reader = new ErrorClassesJsonReader((Conditions.url +: file.toSeq).distinct)

  private val parameter = "<([a-zA-Z0-9_-]+)>".r

  private val verbs =
    Set("Cast", "Check", "Correct", "Filter", "List", "Make", "Move", "Remove", "Restart", "Restore",
      "Select") ++
      Set("Set", "Stop", "Upgrade", "Use")

  test("every condition of the file has a constructor, and the other conditions are the core's") {
    val (own, others) = one.map(_.getCondition).distinct.partition(conditions.contains)
    assert(own.sorted === conditions)
    assert(others.forall(new ErrorClassesJsonReader(Seq(Conditions.url)).isValidErrorClass), others)
  }

  test("conditions are sorted, unique and prefixed") {
    val written = file.toSeq.flatMap { url =>
      Using.resource(Source.fromURL(url, "utf8"))(
        _.getLines()
          .collect { case s"""  "$name": {""" =>
            name
          }
          .toVector
      )
    }
    assert(written === written.distinct.sorted)
    assert(written.forall(_.startsWith("STOPLOG_")))
  }

  test("no condition is one of Spark's, and Spark's reader accepts both files together") {
    val loader = classOf[SparkThrowable].getClassLoader
    val sparks = loader.getResource("error/error-conditions.json")
    assert(sparks != null)
    val both = new ErrorClassesJsonReader(sparks +: file.toSeq)
    val own  = new ErrorClassesJsonReader(Seq(sparks))
    assert(conditions.forall(both.isValidErrorClass))
    assert(!conditions.exists(own.isValidErrorClass))
  }

  test("each constructor sets exactly the parameters of its message") {
    for (e <- one) {
      val used = parameter.findAllMatchIn(reader.getMessageTemplate(e.getCondition)).map(_.group(1)).toSet
      assert(e.getMessageParameters.keySet.asScala === used, e.getCondition)
    }
  }

  test("messages have Spark's format without unresolved parameters") {
    for (e <- one) {
      val message = e.getMessage
      assert(message.startsWith(s"[${e.getCondition}] "))
      assert(message.endsWith(s" SQLSTATE: ${e.getSqlState}"))
      assert(!message.contains("${") && !message.contains(".:") && !message.contains(".."), message)
    }
  }

  test("the last line and the last sentence of each message start with an imperative verb") {
    for (e <- one) {
      val condition = e.getCondition
      val last      = e.getMessage.linesIterator.toSeq.last.stripSuffix(s" SQLSTATE: ${e.getSqlState}")
      val ends      = last.split("(?<=[.;]) ").last
      assert(reader.getMessageTemplate(condition).linesIterator.size === 2, condition)
      assert(verbs(last.takeWhile(_ != ' ')), s"$condition: $last")
      assert(verbs(ends.replaceFirst("^[Oo]r ", "").takeWhile(_ != ' ').capitalize), s"$condition: $ends")
      assert(last.endsWith("."), condition)
    }
  }

  test("no message gives an option a former name, or its name in another system") {
    for {
      id   <- connector
      e    <- one
      word <- "\\b[a-z]+[A-Z]\\w*".r.findAllIn(e.getMessage)
    } assert(OtherNames.ofConnector(id).problem(word) === None, e.getMessage)
  }

  test("SQLSTATEs have five characters") {
    for (condition <- conditions)
      assert(Conditions.sqlState(condition).matches("[0-9A-Z]{5}"), condition)
  }

  test("errors are serialized from an executor to the driver") {
    for (e <- one) {
      val bytes = new ByteArrayOutputStream
      new ObjectOutputStream(bytes).writeObject(e)
      val back = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray)).readObject()
      assert(back.asInstanceOf[SparkThrowable].getCondition === e.getCondition)
      assert(back.asInstanceOf[Throwable].getMessage === e.getMessage)
      assert(back.asInstanceOf[SparkThrowable].getMessageParameters === e.getMessageParameters)
    }
  }
}

object ConditionRules {

  /** The file of conditions of the connector that has this class; `make quick` has those of all on its class path. */
  def ofConnector(known: Class[_]): URL = {
    val place = known.getProtectionDomain.getCodeSource.getLocation.toString
    known.getClassLoader
      .getResources(Conditions.ConnectorResource)
      .asScala
      .find(_.toString.contains(place))
      .getOrElse(throw new NoSuchElementException(s"no file of conditions in $place"))
  }
}
