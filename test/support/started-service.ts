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

/** A test that fails leaves no process behind. */
afterEach(killServices)
