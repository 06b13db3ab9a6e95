// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import org.apache.spark.SparkThrowable
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogArgumentException
import stoplog.format.Encoder
import stoplog.util.UserObject

class UserObjectSuite extends AnyFunSuite {

  private def load(reference: String): Encoder = UserObject.load(reference, classOf[Encoder], "encoder")

  private def refused(reference: String): SparkThrowable = {
    val error = intercept[StoplogArgumentException](load(reference))
    assert(error.getCondition === "STOPLOG_USER_CODE")
    assert(error.getMessageParameters.get("option") === "encoder")
    error
  }

  private def why(reference: String): String = refused(reference).getMessageParameters.get("why")

  test("instantiates a class by its no-argument constructor") {
    assert(load("stoplog.options.NoEncoder").asInstanceOf[NoEncoder].separator === ",")
    assert(load(" stoplog.options.NoEncoder ").isInstanceOf[NoEncoder])
  }

  test("finds a Scala object with and without its dollar sign") {
    assert(load("stoplog.options.ObjectEncoder") eq ObjectEncoder)
    assert(load("stoplog.options.ObjectEncoder$") eq ObjectEncoder)
  }

  test("prefers a class over a companion of another type") {
    assert(load("stoplog.options.WithCompanion").isInstanceOf[WithCompanion])
  }

  test("an instance keeps its state") {
    val copy = load(UserObject.reference(new NoEncoder("|"), "encoder"))
    assert(copy.asInstanceOf[NoEncoder].separator === "|")
    assert(load(UserObject.reference(ObjectEncoder, "encoder")) eq ObjectEncoder)
  }

  test("a class with parameters receives a serializable, case-insensitive map") {
    def made(parameters: (String, String)*) =
      load(UserObject.named("stoplog.options.Configured", parameters.toMap))
        .asInstanceOf[Configured]
        .parameters
    assert(made("Separator" -> "{;}", "b" -> "2").get("separator") === "{;}")
    assert(made().isEmpty)
    new java.io.ObjectOutputStream(new java.io.ByteArrayOutputStream).writeObject(made("a" -> "1"))
    intercept[UnsupportedOperationException](made("a" -> "1").put("b", "2"))
  }

  test("rejects parameters of a class or Scala object without parameters, and hides values") {
    for (name <- Seq("NoEncoder", "ObjectEncoder")) {
      val said = why(UserObject.named(s"stoplog.options.$name", Map("separator" -> "hidden")))
      assert(said.contains("it has no parameters, such as separator"))
      assert(!said.contains("hidden"))
    }
  }

  test("the context class loader has precedence") {
    val thread = Thread.currentThread
    val before = thread.getContextClassLoader
    val asked  = scala.collection.mutable.Buffer.empty[String]
    thread.setContextClassLoader(new ClassLoader(before) {
      override def loadClass(name: String, resolve: Boolean): Class[_] = {
        asked += name; super.loadClass(name, resolve)
      }
    })
    try load("stoplog.options.NoEncoder")
    finally thread.setContextClassLoader(before)
    assert(asked.contains("stoplog.options.NoEncoder"))
  }

  test("each defect of a class has a specific message") {
    assert(why("com.example.Nope").contains("there is no class com.example.Nope"))
    assert(why("stoplog.options.OneBucket").contains("is not a stoplog.format.Encoder"))
    assert(why("stoplog.options.NeedsArgument").contains("no public constructor without arguments"))
    assert(why("stoplog.options.AbstractEncoder").contains("abstract"))
    assert(why("stoplog.options.FailsToStart").contains("no licence"))
  }

  test("rejects a damaged instance reference without printing the reference") {
    assert(why("instance:AAAA").nonEmpty)
    assert(why("instance:§").nonEmpty)
    assert(refused("instance:AAAA").getMessageParameters.get("reference") === "an instance")
    assert(why(UserObject.reference(new OneBucket, "encoder")).contains("is not a stoplog.format.Encoder"))
  }

  test("rejects an instance that cannot be serialized at the reference") {
    val error = intercept[StoplogArgumentException](UserObject.reference(new HoldsThread, "encoder"))
    assert(error.getCondition === "STOPLOG_USER_CODE")
    assert(error.getMessage.contains("java.lang.Thread"))
    assert(error.getMessageParameters.get("option") === "encoder")
  }

  test("parameters of custom classes are options and accompany the class") {
    val told = Seq("FORMAT.separator" -> ";", "format" -> "stoplog.options.Configured")
    val o    = SinkOptions.parse(Map("path" -> "p") ++ told)
    assert(o.output.format === FormatChoice.UserEncoder("stoplog.options.Configured{\"separator\":\";\"}"))
    assert(o.toMap("format.separator") === ";")
    assert(SinkOptions.parse(o.toMap) === o)
  }

  test("rejects parameters of an instance or of an option without a class, by name") {
    def said(options: (String, String)*) =
      intercept[StoplogArgumentException](
        SinkOptions.parse(Map("path" -> "/data/out", "format" -> "json") ++ options)
      ).getMessage
    assert(said("rollingPolicy.limit" -> "5").contains("rollingPolicy.limit is a parameter of a class"))
    assert(
      said("bucketAssigner" -> "basePath", "bucketAssigner.a" -> "b").contains(
        "bucketAssigner is not a class"
      )
    )
    assert(said("compactor" -> "a.B", "compactor.a" -> "b").contains("compactor"))
    val instance = UserObject.reference(new AtMidnight, "rollingPolicy")
    assert(said("rollingPolicy" -> instance, "rollingPolicy.a" -> "b").contains("has no parameters"))
    assert(said("rollingPolicies.a" -> "b").contains("is not an option"))
  }
}
