package stoplog.spark

import stoplog.error.Errors
import stoplog.fault.Faults
import stoplog.log.RecordStore
import stoplog.options.Durability
import stoplog.store.{JobStore, PartLayout, PartStore}
import stoplog.store.hadoop._
import stoplog.store.hdfs.HdfsPartStore

/** HDFS, or whatever has its abilities. */
private[spark] final case class OnHdfs(path: String, files: HadoopFiles, asked: Durability)
    extends SinkPlace {

  override def parts(sinkId: String, layout: PartLayout): PartStore = store(sinkId, layout)

  override def records(sinkId: String): RecordStore =
    new HadoopRecords(files, sinkId, durability, Faults.ofThisJvm)

  override def job(sinkId: String): JobStore = new HadoopJobStore(files, sinkId)

  override def sinkIds(prefix: String): Vector[String] = HadoopJobStore.jobs(files, prefix)

  override def probe(sinkId: String, layout: PartLayout): Unit = store(sinkId, layout).probe()

  override def refuseIfHopeless(): Unit = files.writing(files.at("")) {
    val nearest = Iterator.iterate(files.at(""))(_.getParent).takeWhile(_ != null).flatMap(files.status)
    nearest.nextOption().filterNot(_.isDirectory).foreach { there =>
      throw Errors.pathNotWritable(path, s"${there.getPath} is not a directory")
    }
  }

  private def store(sinkId: String, layout: PartLayout): HdfsPartStore =
    new HdfsPartStore(files, sinkId, layout, durability, Faults.ofThisJvm)

  private def durability: HadoopDurability = asked match {
    case Durability.Disk    => HadoopDurability.Disk
    case Durability.Process => HadoopDurability.Process
  }
}
