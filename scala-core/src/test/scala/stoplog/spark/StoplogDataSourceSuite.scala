// SPDX-License-Identifier: Apache-2.0
package stoplog.spark

import org.apache.spark.sql.sources.DataSourceRegister
import org.scalatest.funsuite.AnyFunSuite

import stoplog.FileSink
import stoplog.docs.SharedDefinitions

class StoplogDataSourceSuite extends AnyFunSuite {

  test("an unsupported Spark version fails with the required versions") {
    for (old <- Seq("3.5.7", "2.4.8")) {
      val message = intercept[UnsupportedOperationException](StoplogDataSource.refuse(old)).getMessage
      assert(message.matches(s".*stoplog [0-9.]+\\S* needs Spark 4\\.0 to 4\\.3, found $old\\. .*"), message)
      assert(message.contains(s" needs Spark ${SharedDefinitions.sparkLines}, "), "as Python says, too")
    }
    for (supported <- Seq("4.0.5", "4.2.0", "4.3.0", "4.3.1-SNAPSHOT", "5.0.0"))
      StoplogDataSource.refuse(supported)
  }

  test("loads and provides its name without Scala and without other classes of the jar") {
    val name  = classOf[StoplogDataSource].getName
    val alone = new ClassLoader(getClass.getClassLoader) {
      override def loadClass(asked: String, resolve: Boolean): Class[_] =
        if (asked == name) findLoadedOrDefine(asked)
        else if (asked.startsWith("stoplog.") || asked.startsWith("scala."))
          throw new ClassNotFoundException(asked)
        else super.loadClass(asked, resolve)

      private def findLoadedOrDefine(asked: String): Class[_] = Option(findLoadedClass(asked)).getOrElse {
        val in    = getParent.getResourceAsStream(s"${asked.replace('.', '/')}.class")
        val bytes =
          try in.readAllBytes()
          finally in.close()
        defineClass(asked, bytes, 0, bytes.length)
      }
    }
    val loaded = alone.loadClass(name).getConstructor().newInstance().asInstanceOf[DataSourceRegister]
    assert(loaded.getClass.getClassLoader eq alone)
    assert(loaded.shortName() === FileSink.Format)
  }
}
