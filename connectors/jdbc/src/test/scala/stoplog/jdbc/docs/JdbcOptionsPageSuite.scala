// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.docs

import stoplog.docs.OptionsReferenceRules

class JdbcOptionsPageSuite extends OptionsReferenceRules(OptionsPage)
