// SPDX-License-Identifier: Apache-2.0
package stoplog.util

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, InputStream, NotSerializableException}
import java.io.{ObjectInputStream, ObjectOutputStream, ObjectStreamClass}
import java.lang.reflect.{Constructor, InvocationTargetException}
import java.util.{Base64, Collections, Map => JMap, TreeMap => JTreeMap}

import scala.jdk.CollectionConverters._
import scala.util.Try
import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.ObjectMapper

import stoplog.error.{Errors, Redaction}

/** User-defined objects in options: by class name, or as a serialized instance.
  *
  * An option is a string, so an instance is encoded as `instance:` and the Base64 of its Java serialization.
  * A class with parameters is encoded as its name, followed by a JSON object: `com.example.X{"limit":"5"}`.
  * The parameters are passed to a public constructor with a single `java.util.Map<String, String>`. The map
  * is serializable, and its keys are case-insensitive. If a class has such a constructor, the constructor is
  * always used.
  *
  * The context class loader is searched first, because this loader sees classes from `--jars` and from
  * notebook cells.
  *
  * {{{
  * UserObject.load("com.example.KeyValueEncoder", classOf[Encoder], "encoder")
  * val instance = UserObject.reference(new KeyValueEncoder('='), "encoder")
  * UserObject.load(instance, classOf[Encoder], "encoder")
  * }}}
  */
private[stoplog] object UserObject {

  /** Returns the object for a reference.
    *
    * Throws `STOPLOG_USER_CODE` if the class does not exist, is not an `expected`, or cannot be instantiated.
    *
    * @param reference a result of [[reference]] or [[named]]; the name of a class with a public constructor
    *                  without arguments or with a map; or the name of a Scala object
    * @param option    the option that holds the reference, for the error
    */
  def load[T](reference: String, expected: Class[T], option: String): T =
    if (isInstance(reference)) made("an instance", expected, option)(deserialize(reference, expected))
    else {
      val (name, parameters) = split(reference)
      ofClass(name, parameters, expected, option)
    }

  /** Returns the reference for a class and its parameters, for [[load]]. */
  def named(className: String, parameters: Map[String, String]): String =
    if (parameters.isEmpty) className
    else className + mapper.writeValueAsString(new JTreeMap[String, String](parameters.asJava))

  /** Returns the parameters of the class in a reference. */
  def parameters(reference: String): Map[String, String] =
    if (isInstance(reference)) Map.empty else split(reference)._2

  /** Creates an object of a class. Safe for names from any source: the method deserializes nothing, and runs
    * no code of a class that is not an `expected`.
    *
    * Throws `STOPLOG_USER_CODE`, see [[load]].
    *
    * @param arguments the arguments of the public constructor
    */
  def ofClass[T](name: String, expected: Class[T], option: String, arguments: String*): T =
    made(name, expected, option)(create(name.trim, expected, arguments, Map.empty))

  /** Creates an object of a class as above, with parameters. */
  def ofClass[T](name: String, parameters: Map[String, String], expected: Class[T], option: String): T =
    made(name, expected, option)(create(name.trim, expected, Seq.empty, parameters))

  /** Returns the string that represents this instance in an option.
    *
    * Throws `STOPLOG_USER_CODE` if the instance, or an object within, is not serializable.
    *
    * @param option the option that will hold the reference, for the error
    */
  def reference(instance: AnyRef, option: String): String =
    if (module(instance.getClass).exists(_ eq instance)) instance.getClass.getName
    else serialized(instance, option)

  /** Whether the reference contains an instance instead of a class name. */
  def isInstance(reference: String): Boolean = reference.startsWith(Prefix)

  /** Returns an option's value for display. An instance, which is pages of Base64, is shown as its class. */
  def shown(value: String): String =
    if (isInstance(value)) Try(deserialize(value, classOf[AnyRef]).getClass.getName).getOrElse("an instance")
    else value

  /** Returns options for display, without secrets and without pages of Base64. */
  def described(name: String, options: Iterable[(String, String)]): String =
    Redaction.options(name, options.map { case (key, value) => key -> shown(value) })

  /** Returns parameters or settings for user code: in any case, with the spelling of the user. The map is
    * serializable, so that an object may store the map.
    */
  def caseless(parameters: Map[String, String]): JMap[String, String] = {
    val map = new JTreeMap[String, String](String.CASE_INSENSITIVE_ORDER)
    map.putAll(parameters.asJava)
    Collections.unmodifiableMap(map)
  }

  private val mapper = new ObjectMapper()

  private def split(reference: String): (String, Map[String, String]) = reference.indexOf('{') match {
    case -1 => reference.trim -> Map.empty
    case at =>
      val fields = mapper.readTree(reference.substring(at)).properties.asScala
      reference.substring(0, at).trim -> fields.map(field => field.getKey -> field.getValue.asText).toMap
  }

  private val Prefix = "instance:"

  private def serialized(instance: AnyRef, option: String): String = {
    val bytes = new ByteArrayOutputStream
    try new ObjectOutputStream(bytes).writeObject(instance)
    catch {
      case e: NotSerializableException =>
        val why = s"it contains a ${e.getMessage}, which is not serializable"
        throw Errors.userCode(option, s"an instance of ${instance.getClass.getName}", why, e)
    }
    Prefix + Base64.getEncoder.encodeToString(bytes.toByteArray)
  }

  private def made[T](shown: String, expected: Class[T], option: String)(make: => AnyRef): T = {
    def refuse(why: String, cause: Throwable) = throw Errors.userCode(option, shown, why, cause)
    try expected.cast(make)
    catch {
      case e: ClassNotFoundException      => refuse(s"there is no class ${e.getMessage}", e)
      case e: NoClassDefFoundError        => refuse(s"the class ${e.getMessage} that it needs is missing", e)
      case e: NoSuchMethodException       => refuse(e.getMessage, e)
      case e: InstantiationException      => refuse("it is abstract", e)
      case e: IllegalAccessException      => refuse("it, or its constructor, is not public", e)
      case e: InvocationTargetException   => refuse(s"its constructor failed with ${e.getCause}", e.getCause)
      case e: ExceptionInInitializerError =>
        refuse(s"its initialization failed with ${e.getCause}", e.getCause)
      case e: ClassCastException => refuse(e.getMessage, e)
      case NonFatal(e)           => refuse(s"it cannot be read: $e", e)
    }
  }

  private def checkKind(made: Class[_], expected: Class[_]): Unit =
    if (!expected.isAssignableFrom(made))
      throw new ClassCastException(s"${made.getName} is not a ${expected.getName}")

  private def deserialize(reference: String, expected: Class[_]): AnyRef = {
    val bytes = Base64.getDecoder.decode(reference.stripPrefix(Prefix))
    val read  = new Input(new ByteArrayInputStream(bytes)).readObject()
    checkKind(read.getClass, expected)
    read
  }

  private def create(
      name: String,
      expected: Class[_],
      arguments: Seq[String],
      parameters: Map[String, String]
  ): AnyRef = {
    // A Scala object is compiled to a class whose name ends with a dollar sign.
    val found = Seq(name, name + "$").flatMap(classNamed)
    found.find(expected.isAssignableFrom(_)).orElse(found.headOption) match {
      case Some(c) =>
        checkKind(c, expected) // before any code of the class runs
        val takesMap =
          Option.when(arguments.isEmpty)(()).flatMap(_ => Try(c.getConstructor(classOf[JMap[_, _]])).toOption)
        (module(c), takesMap) match {
          case (None, Some(constructor)) => constructor.newInstance(caseless(parameters)).asInstanceOf[AnyRef]
          case _ if parameters.nonEmpty  =>
            throw new NoSuchMethodException(
              s"it has no parameters, such as ${parameters.keys.min}: it has no public constructor of a " +
                "java.util.Map"
            )
          case (Some(instance), _) => instance
          case (None, None)        =>
            constructor(c, arguments.size).newInstance(arguments: _*).asInstanceOf[AnyRef]
        }
      case None => throw new ClassNotFoundException(name)
    }
  }

  private def constructor(c: Class[_], strings: Int): Constructor[_] =
    try c.getConstructor(Seq.fill(strings)(classOf[String]): _*)
    catch {
      case _: NoSuchMethodException =>
        val arguments = if (strings == 0) "without arguments or of a java.util.Map" else "of one String"
        throw new NoSuchMethodException(s"it has no public constructor $arguments")
    }

  private def module(c: Class[_]): Option[AnyRef] =
    c.getFields.find(f => f.getName == "MODULE$" && f.getType == c).map(_.get(null))

  private def classNamed(name: String): Option[Class[_]] =
    Seq(Thread.currentThread.getContextClassLoader, getClass.getClassLoader)
      .filter(_ != null)
      .flatMap { loader =>
        try Some(Class.forName(name, false, loader))
        catch { case _: ClassNotFoundException => None }
      }
      .headOption

  private final class Input(in: InputStream) extends ObjectInputStream(in) {

    override protected def resolveClass(described: ObjectStreamClass): Class[_] =
      classNamed(described.getName).getOrElse(super.resolveClass(described))
  }
}
