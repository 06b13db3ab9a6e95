// SPDX-License-Identifier: Apache-2.0
package stoplog.options

/** The files that a batch write in mode `overwrite` replaces.
  *
  * @param mode  `None` for the session's `spark.sql.sources.partitionOverwriteMode`
  * @param where a SQL condition on partition columns
  */
private[stoplog] final case class OverwriteOptions(mode: Option[OverwriteMode], where: Option[String])

/** Which partitions a batch write in mode `overwrite` replaces. */
private[stoplog] sealed abstract class OverwriteMode(val word: String) extends Product with Serializable

private[stoplog] object OverwriteMode {

  /** Replaces all partitions. */
  case object Static extends OverwriteMode("static")

  /** Replaces the partitions of the rows. */
  case object Dynamic extends OverwriteMode("dynamic")

  val all: Seq[OverwriteMode] = Seq(Static, Dynamic)
}

private[stoplog] object OverwriteOptions extends OptionList(OptionGroup.Bucket) {

  val PartitionOverwriteMode: Opt[OverwriteMode] =
    option("partitionOverwriteMode", OptionType.named(OverwriteMode.all)(_.word), "dynamic")(
      "`spark.sql.sources.partitionOverwriteMode` of the session",
      "The files that a batch write in mode `overwrite` replaces. `static`: all files under the path. " +
        "`dynamic`: the files in the directories of its rows; without rows, nothing. Not for streams."
    )

  val ReplaceWhere: Opt[String] =
    option("replaceWhere", OptionType.text.as("SQL condition"), "day = '2026-01-31'")(
      "none",
      "A batch write in mode `overwrite` replaces only the partitions that satisfy this condition on " +
        "columns of `partitionBy`. A row of another partition fails the job. Without rows, the job deletes " +
        "the partitions. Not together with `partitionOverwriteMode` = `dynamic`."
    )

  /** Rejects an empty text, such as an unset variable of a job: without a limit, the job would replace all
    * files.
    */
  def parse(reader: OptionReader): OverwriteOptions = {
    for (option <- Seq(PartitionOverwriteMode, ReplaceWhere))
      if (reader.textOrEmpty(option).exists(_.trim.isEmpty))
        reader.errors.add(
          s"${option.key} is empty, and would not limit the overwrite: set a value, or remove the option."
        )
    OverwriteOptions(reader.get(PartitionOverwriteMode), reader.text(ReplaceWhere))
  }
}
