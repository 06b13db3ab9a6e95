// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

class ClientsSuite extends AnyFunSuite {
  private val path  = new Path("hdfs://127.0.0.1:1/") // nothing here asks the server for anything
  private val delay = "dfs.client.block.write.locateFollowingBlock.initial.delay.ms"

  test("a private HDFS client polls for closed files sooner than the shared client") {
    val client = HadoopSettings.Clients.of(path, new Configuration())
    assert(client ne path.getFileSystem(new Configuration()))
    assert(client.getConf.getInt(delay, 400) < 100)
    assert(path.getFileSystem(new Configuration()).getConf.getInt(delay, 400) === 400)
  }

  test("all stores of a process share the private client until the client is closed") {
    val client = HadoopSettings.Clients.of(path, new Configuration())
    assert(HadoopSettings.Clients.of(path, new Configuration()) eq client)
    client.close()
    val next = HadoopSettings.Clients.of(path, new Configuration())
    assert(next ne client)
    assert(HadoopSettings.Clients.of(path, new Configuration()) eq next)
  }

  test("the user's configuration sets the polling delay") {
    val configuration = new Configuration()
    configuration.setInt(delay, 300)
    assert(HadoopSettings.Clients.of(path, configuration) eq path.getFileSystem(configuration))
  }

  test("other file systems use Hadoop's shared client") {
    val local = new Path("file:///")
    assert(HadoopSettings.Clients.of(local, new Configuration()) eq local.getFileSystem(new Configuration()))
  }
}
