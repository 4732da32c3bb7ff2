import { afterEach } from '@jest/globals'
import type { Program } from '../online-retail/program.js'

/** Kills the programs of a test after it, then cleans up, what was last first. */
export function endedAfterEach() {
  const running = new Set<Program>()
  const cleanUp: (() => Promise<unknown>)[] = []

  afterEach(async () => {
    for (const { child } of running) child.kill('SIGKILL')
    await Promise.all([...running].map(({ ended }) => ended))
    running.clear()
    for (const clean of cleanUp.splice(0).toReversed()) await clean()
  })

  const started = (program: Program): Program => {
    running.add(program)
    void program.ended.then(() => running.delete(program))
    return program
  }
  return { started, cleanUp }
}
