import { afterAll, afterEach, beforeAll } from '@jest/globals'
import { killServices, program, startFile } from './service-process.js'
import { startedProgram } from './started-programs.js'

export { launch, program, runToEnd, StartedService, type Ending } from './service-process.js'

/** Kills services that a failed test left behind. */
afterEach(killServices)

/** Makes the suite start the released program, also in a quick run. */
export function startReleasedProgram(): void {
  beforeAll(() => {
    startFile(program)
  })
  afterAll(() => {
    startFile(startedProgram('main'))
  })
}
