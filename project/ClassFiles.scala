import java.io.File

import org.objectweb.asm.{AnnotationVisitor, Attribute, ClassReader, ClassVisitor, ClassWriter, Opcodes}
import sbt.io.IO

/** Class files as they go into the jar: a fifth of what scalac writes is for other compilers alone. */
object ClassFiles {

  /** Packages that no user compiles against. The rest is the public API, with the traits for stores of one's own. */
  private val Internal = Seq(
    "stoplog/commit/", "stoplog/options/", "stoplog/spark/", "stoplog/thread/", "stoplog/store/local/",
    "stoplog/store/hadoop/", "stoplog/store/hdfs/", "stoplog/store/s3/"
  )

  /** The same mappings, with internal classes freed of the description of their Scala types. */
  def forJar(mappings: Seq[(File, String)], directory: File): Seq[(File, String)] = mappings.map {
    case (file, path) if path.endsWith(".class") && Internal.exists(path.startsWith(_)) =>
      val target = new File(directory, path)
      IO.write(target, withoutPickle(IO.readBytes(file)))
      target.setLastModified(file.lastModified())
      target -> path
    case other => other
  }

  /** To a compiler the class then looks as if it had been written in Java. */
  private def withoutPickle(bytes: Array[Byte]): Array[Byte] = {
    val writer  = new ClassWriter(0)
    val visitor = new ClassVisitor(Opcodes.ASM9, writer) {
      override def visitAnnotation(descriptor: String, visible: Boolean): AnnotationVisitor =
        if (Pickles(descriptor)) null else super.visitAnnotation(descriptor, visible)

      override def visitAttribute(attribute: Attribute): Unit =
        if (!Markers(attribute.`type`)) super.visitAttribute(attribute)
    }
    new ClassReader(bytes).accept(visitor, 0)
    writer.toByteArray
  }

  private val Pickles = Set("Lscala/reflect/ScalaSignature;", "Lscala/reflect/ScalaLongSignature;")
  private val Markers = Set("ScalaSig", "Scala", "ScalaInlineInfo")
}
