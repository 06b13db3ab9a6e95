// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import stoplog.source.file.OnMergedPart

/** The option for directories in which a sink merges its parts. */
private[options] trait MergedPartEntries extends OptionForms {

  val OnMergedPart: SinkOption = withDefault(
    OptionGroup.Files,
    "onMergedPart",
    "`fail`, `read` or `skip`",
    "fail",
    "What a streaming query does with a file that a sink has [merged](compaction.md) from smaller ones, which it tells by " +
      "its name: the rows may have been read from those. `fail`: it ends with an error. `read`: for a directory in which " +
      "nothing is merged any more, before the query begins. `skip`: if all small files are read before they are merged. " +
      "A batch query reads them all.",
    "read"
  )
}

private[options] object MergedPartOptions {

  def parse(asked: AskedOptions): OnMergedPart =
    asked.value(SourceOptionRegistry.OnMergedPart)(
      AskedOptions.oneOf(
        Seq("fail" -> OnMergedPart.Fail, "read" -> OnMergedPart.Read, "skip" -> OnMergedPart.Skip)
      )
    )
}
