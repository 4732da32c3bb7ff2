import type { Scenario } from './scenario.js'
import { killScenario } from './scenarios/kill.js'
import { stopUnderLoadScenario } from './scenarios/stop-under-load.js'

/** In the order in which they run. Another one is a line here. */
export const scenarios: readonly Scenario[] = [killScenario, stopUnderLoadScenario]
