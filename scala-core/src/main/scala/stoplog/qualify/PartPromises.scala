// SPDX-License-Identifier: Apache-2.0
package stoplog.qualify

import java.util.Arrays

import scala.util.{Failure, Random, Success}

import org.apache.spark.SparkThrowable

import stoplog.part.{Closed, RunId}
import stoplog.sink.CommitOutcome
import stoplog.storage.{MoveOutcome, Moves, NewPart, PartOutput}

/** The promise by which compactions and overwrites hide and restore files. */
private[qualify] object MovesOnce
    extends Promise("move", "a move never replaces a file, and one file is moved once", races = 200) {

  override def race(racers: Racers, directory: String, round: Int): Option[String] = {
    val (taken, free)            = (s"$directory/$round-taken", s"$directory/$round-free")
    val kept                     = Racers.content(round, Racers.Count)
    def from(racer: Int): String = s"$directory/$round-$racer"
    racers.all(racer => racers.files(racer).create(from(racer))(_.write(Racers.content(round, racer))))
    racers.observer.putIfAbsent(taken, kept)
    val refused = racers.together(racer => racers.files(racer).move(from(racer), taken))
    val moved   = racers.together(racer => racers.files(racer).move(from(0), free))
    val movers  = Racers.withResult(moved, MoveOutcome.Moved)
    broken(refused.contains(Success(MoveOutcome.Moved)), "a file was moved over another file")
      .orElse(
        broken(!racers.observer.read(taken).exists(Arrays.equals(_, kept)), "a move changed an existing file")
      )
      .orElse(broken(movers.isEmpty, Racers.failure(moved).getOrElse("no process could move a file")))
      .orElse(broken(movers.size > 1 && isAtomic(racers), s"${movers.size} processes moved the same file"))
      .orElse(broken(racers.observer.exists(from(0)), "a moved file was still under its former name"))
      .orElse {
        val bytes = racers.observer.read(free)
        broken(!bytes.exists(Arrays.equals(_, Racers.content(round, 0))), "a moved file had other bytes")
      }
  }

  private def isAtomic(racers: Racers): Boolean = racers.observer.capabilities.moves == Moves.Atomically
}

/** The promise by which rows become visible exactly once: on S3, an upload is completed once. */
private[qualify] object PublishesOnce
    extends Promise(
      "publish",
      "many processes publish a part at once, and a part that readers have removed does not come back",
      races = 200
    ) {

  override def race(racers: Racers, directory: String, round: Int): Option[String] = {
    val name   = s"part-$round"
    val path   = s"$directory/$name"
    val bytes  = Racers.content(round, 0)
    val closed =
      PartPromises.written(racers.parts(0).create(NewPart(directory, name, racers.run)), bytes).finish()
    def publish() = racers.together(racer => racers.parts(racer).publish(closed, bytes.length.toLong, path))
    val first     = publish()
    val content   = racers.observer.read(path)
    racers.observer.delete(Seq(path))
    val again   = publish()
    val visible = racers.observer.exists(path)
    Racers
      .failure(first)
      .orElse(broken(first.contains(Success(CommitOutcome.Lost)), "a part was lost while it was published"))
      .orElse(
        broken(!content.exists(Arrays.equals(_, bytes)), "a published file had other bytes than its part")
      )
      .orElse(broken(visible, "a file that a reader had removed came back when its part was published again"))
      .orElse {
        val stale = again.exists(outcome => outcome.isSuccess && outcome != Success(CommitOutcome.Lost))
        broken(stale, "a part was reported as published after a reader had removed its file")
      }
  }
}

/** The promise that no file of another program is lost. */
private[qualify] object KeepsTakenNames
    extends Promise("name", "a part is not published under the name of another file", races = 100) {

  override def race(racers: Racers, directory: String, round: Int): Option[String] = {
    val name   = s"part-$round"
    val path   = s"$directory/$name"
    val other  = Racers.content(round, 1) ++ Racers.content(round, 2)
    val bytes  = Racers.content(round, 0)
    val closed =
      PartPromises.written(racers.parts(0).create(NewPart(directory, name, racers.run)), bytes).finish()
    racers.observer.putIfAbsent(path, other)
    val outcomes = racers.together(racer => racers.parts(racer).publish(closed, bytes.length.toLong, path))
    val kept     = racers.observer.read(path).exists(Arrays.equals(_, other))
    racers.parts(0).discard(closed.token)
    broken(!kept, "a published part replaced another file")
      .orElse(
        broken(
          outcomes.exists(_.isSuccess),
          "a part was reported as published under the name of another file"
        )
      )
      .orElse(
        outcomes.collectFirst { case Failure(e) if !isTaken(e) => s"a request failed: ${Racers.reason(e)}" }
      )
  }

  private def isTaken(e: Throwable): Boolean = e match {
    case named: SparkThrowable => named.getCondition == "STOPLOG_NAME_TAKEN"
    case _                     => false
  }
}

/** The promise by which a part continues in the next epoch, and after a restart. */
private[qualify] object GrowsParts
    extends Promise("grow", "an open part continues in other processes, and keeps its bytes", races = 20) {

  override def race(racers: Racers, directory: String, round: Int): Option[String] = {
    val name         = s"part-$round"
    val (next, path) = (RunId.random(), s"$directory/$name")
    // One file consists of several parts of an upload on an object store, with gaps in their numbers.
    val bytes = new Array[Byte](if (round == 0) 3 * PartPromises.LargeBytes else 3 * PartPromises.SmallBytes)
    new Random(round).nextBytes(bytes)
    val third              = bytes.length / 3
    def piece(number: Int) = bytes.slice(number * third, (number + 1) * third)
    val first   = PartPromises.written(racers.parts(0).create(NewPart(directory, name, racers.run)), piece(0))
    val resumed = PartPromises.written(racers.parts(1).resume(first.persist(), third.toLong), piece(1))
    val claimed = racers.parts(2).claimed(resumed.persist())
    val taken   = racers.parts(3).takeOver(claimed, 2L * third, NewPart(directory, name, next))
    val closed: Closed = PartPromises.written(taken, piece(2)).finish()
    val outcome        = racers.parts(4).publish(closed, bytes.length.toLong, path)
    broken(outcome != CommitOutcome.Committed, s"a continued part was not published: $outcome")
      .orElse(
        broken(!racers.observer.read(path).exists(Arrays.equals(_, bytes)), "a continued part lost bytes")
      )
  }
}

private object PartPromises {

  /** Larger than a part of an upload, so that each writer adds at least one part. */
  final val LargeBytes = 9 << 20
  final val SmallBytes = 3 << 10

  def written(output: PartOutput, bytes: Array[Byte]): PartOutput = {
    output.write(bytes, 0, bytes.length)
    output
  }
}
