// SPDX-License-Identifier: Apache-2.0
package stoplog.async

import stoplog.error.ConditionRules

class AsyncErrorsSuite
    extends ConditionRules(
      Some(ConditionRules.ofConnector(classOf[AsyncMap[_]])),
      Seq(
        AsyncErrors.answer(rows = 3, answers = 2),
        AsyncErrors.callFailed(5, new IllegalStateException("the service is closed.")),
        AsyncErrors.setting("capacity", 0, "1 or more")
      )
    )
