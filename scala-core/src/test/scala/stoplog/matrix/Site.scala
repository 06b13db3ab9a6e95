package stoplog.matrix

import stoplog.fault.Step

/** A kind of storage: one section of the matrix' page. */
sealed abstract class Storage(val name: String, val reader: String) extends Product with Serializable {
  def layouts: Vector[Layout]   = Layout.all
  def contents: Vector[Content] = Vector(Content.Plain, Content.Gzip, Content.Blocks)

  /** Those of the fates that are not the same here. */
  def fates: Vector[Fate] = Fate.all

  /** Those that queries pass here, whatever they write. */
  def steps: Vector[Step] = Steps.ofQueries

  /** Which of `last` occurrences of a step a long run tries, where it cannot try them all. */
  def occurrences(fate: Fate, last: Int): Seq[Int] = fate match {
    case Fate.Killed => Seq(1, last)
    case Fate.Frozen => Seq((last + 1) / 2)
    case Fate.Woken  => Seq((last + 1) / 2, last)
  }

  /** What other suites try here. */
  def besides: String = ""

  def newPlace(layout: Layout, content: Content): Place
}

object Storage {
  case object Local extends Storage("Local disks", "plain java.nio") {
    override def newPlace(layout: Layout, content: Content): Place = new LocalPlace(layout, content)
  }

  case object Hdfs extends Storage("HDFS", "Hadoop's own client") {
    override def besides: String =
      "`HdfsServersSuite` restarts the NameNode and the DataNode under a query, and ends processes with `kill -9`."

    override def newPlace(layout: Layout, content: Content): Place = HdfsPlace.create(layout, content)
  }

  case object S3 extends Storage("S3", "the client of Amazon's SDK") {
    override def layouts: Vector[Layout]   = Vector(Layout.Staging)
    override def contents: Vector[Content] = Vector(Content.Heavy, Content.Gzip)

    /** Nothing there tells a process that has died from one that stands still. */
    override def fates: Vector[Fate] = Vector(Fate.Killed, Fate.Woken)

    /** A cell moves some 100 MiB. */
    override def occurrences(fate: Fate, last: Int): Seq[Int] =
      if (fate == Fate.Woken) Seq(last) else super.occurrences(fate, last)

    /** A record is one request. */
    override def steps: Vector[Step] = super.steps.filterNot(_ == Step.RecordWritten)

    override def besides: String =
      "`S3FaultMatrixSuite` lets requests of each kind fail: by 503, 500, a reset, an answer that is lost, and none " +
        "at all. `S3ServersSuite` ends the server and processes with `kill -9`."

    override def newPlace(layout: Layout, content: Content): Place = S3Place.create(content)
  }

  /** In the order of the page. */
  val all: Vector[Storage] = Vector(Local, Hdfs, S3)
}

/** Where a query writes, and what. */
final case class Site(storage: Storage, layout: Layout, content: Content) {
  def name: String = s"${layout.name}/${content.name}"

  /** Those that a query passes here. */
  def steps: Vector[Step] = storage.steps.filterNot(content.without)

  def newPlace(): Place = storage.newPlace(layout, content)
}

object Site {
  def all(storage: Storage): Vector[Site] = for {
    layout  <- storage.layouts
    content <- storage.contents
  } yield Site(storage, layout, content)
}
