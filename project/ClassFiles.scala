// SPDX-License-Identifier: Apache-2.0
import java.io.File

import org.objectweb.asm._
import sbt.io.IO

/** Class files as they go into the jar: a fifth of what scalac writes is for other compilers alone. */
object ClassFiles {

  /** Packages that no user compiles against. The rest is the public API, with the traits for stores of one's own. */
  val Internal: Seq[String] = Seq(
    "stoplog/commit/", "stoplog/options/", "stoplog/spark/", "stoplog/thread/", "stoplog/format/avro/",
    "stoplog/format/orc/", "stoplog/format/parquet/", "stoplog/format/sequence/", "stoplog/store/local/",
    "stoplog/store/hadoop/", "stoplog/store/hdfs/", "stoplog/store/s3/", "stoplog/source/file/",
    "stoplog/place/"
  )

  /** The same mappings, with internal classes freed of what describes them to compilers. */
  def forJar(mappings: Seq[(File, String)], directory: File): Seq[(File, String)] = mappings.map {
    case (file, path) if path.endsWith(".class") && Internal.exists(path.startsWith(_)) =>
      val target = new File(directory, path)
      IO.write(target, undescribed(IO.readBytes(file)))
      target.setLastModified(file.lastModified())
      target -> path
    case other => other
  }

  private def undescribed(bytes: Array[Byte]): Array[Byte] = {
    val writer = new ClassWriter(0)
    new ClassReader(bytes).accept(new Undescribed(writer), 0)
    writer.toByteArray
  }

  /** Drops Scala's own description of the class, generic types, and the names of parameters. */
  private final class Undescribed(next: ClassVisitor) extends ClassVisitor(Opcodes.ASM9, next) {
    override def visit(
        version: Int,
        access: Int,
        name: String,
        generic: String,
        parent: String,
        interfaces: Array[String]
    ): Unit = super.visit(version, access, name, null, parent, interfaces)

    override def visitField(
        access: Int,
        name: String,
        descriptor: String,
        generic: String,
        value: Any
    ): FieldVisitor = super.visitField(access, name, descriptor, null, value)

    override def visitMethod(
        access: Int,
        name: String,
        descriptor: String,
        generic: String,
        exceptions: Array[String]
    ): MethodVisitor =
      new MethodVisitor(Opcodes.ASM9, super.visitMethod(access, name, descriptor, null, exceptions)) {
        override def visitParameter(name: String, access: Int): Unit = ()
      }

    override def visitAnnotation(descriptor: String, visible: Boolean): AnnotationVisitor =
      if (Pickles(descriptor)) null else super.visitAnnotation(descriptor, visible)

    override def visitAttribute(attribute: Attribute): Unit =
      if (!Markers(attribute.`type`)) super.visitAttribute(attribute)
  }

  private val Pickles = Set("Lscala/reflect/ScalaSignature;", "Lscala/reflect/ScalaLongSignature;")
  private val Markers = Set("ScalaSig", "Scala", "ScalaInlineInfo")
}
