// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.local

import java.nio.file.{Files, Path}

import org.apache.commons.lang3.SerializationUtils
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogException
import stoplog.fault.Faults
import stoplog.part.RunId
import stoplog.storage.PartLayout

class HostsOfPathSuite extends AnyFunSuite {

  test("on NFS and its like, no task of another host than the driver's writes") {
    for (kind <- Seq("nfs", "nfs4", "cifs", "smb3", "fuse.sshfs")) {
      val refused = intercept[StoplogException](entered("worker", kind))
      assert(refused.getCondition === "STOPLOG_NETWORK_FILE_SYSTEM")
      assert(refused.getMessage.contains(s"($kind), the task on worker and its driver on driver."))
      entered("driver", kind)
    }
    for (kind <- Seq("ext4", "xfs", "overlay", "tmpfs", "ceph", "lustre", "unknown")) entered("worker", kind)
  }

  test("the driver's host goes with the store, and this one's file system is no such one") {
    val store = storeOf(WriterLeases.HostsOfPath.ofThisDriver)
    SerializationUtils.clone(store).enter(RunId.random()).close()
  }

  private def entered(host: String, kind: String): Unit =
    storeOf(new WriterLeases.HostsOfPath("driver", () => host, (_: Path) => kind))
      .enter(RunId.random())
      .close()

  private def storeOf(hosts: WriterLeases.HostsOfPath): LocalPartStore = new LocalPartStore(
    Files.createTempDirectory("stoplog-hosts").toString,
    "main",
    PartLayout.Staging("main"),
    LocalForcing.Process,
    Faults.none,
    hosts
  )
}
