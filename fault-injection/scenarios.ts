import type { Scenario } from './scenario.js'
import { diskFullScenario } from './scenarios/disk-full.js'
import { hostileReadersScenario } from './scenarios/hostile-readers.js'
import { ioErrorsScenario } from './scenarios/io-errors.js'
import { killScenario } from './scenarios/kill.js'
import { overloadScenario } from './scenarios/overload.js'
import { slowClientsScenario } from './scenarios/slow-clients.js'
import { stopUnderLoadScenario } from './scenarios/stop-under-load.js'
import {
  storeFrozenScenario,
  storeGoneScenario,
  storeRestartedScenario,
} from './scenarios/store-trouble.js'

/** All scenarios in the order in which they run. Add new scenarios here. */
export const scenarios: readonly Scenario[] = [
  killScenario,
  storeFrozenScenario,
  storeGoneScenario,
  storeRestartedScenario,
  diskFullScenario,
  ioErrorsScenario,
  stopUnderLoadScenario,
  overloadScenario,
  slowClientsScenario,
  hostileReadersScenario,
]
