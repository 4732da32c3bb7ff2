import { setImmediate as immediate } from 'node:timers/promises'

/** Lets other work run until the condition holds. Throws when it does not hold after many turns. */
export async function until(condition: () => boolean): Promise<void> {
  for (let turns = 0; turns < 2_000; turns += 1) {
    if (condition()) return
    await immediate()
  }
  throw new Error('the condition does not hold')
}

/** Lets all work run that is ready. */
export async function settle(): Promise<void> {
  for (let turns = 0; turns < 50; turns += 1) await immediate()
}
