import { afterEach } from '@jest/globals'
import { killServices } from './service-process.js'

export {
  launch,
  program,
  runToEnd,
  StartedService,
  startReleasedProgram,
  type Ending,
} from './service-process.js'

/** Kills services that a failed test left behind. */
afterEach(killServices)
