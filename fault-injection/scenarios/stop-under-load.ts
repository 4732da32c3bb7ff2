import { setTimeout as pause } from 'node:timers/promises'
import { runWithFaults } from '../run.js'
import { byForm, onEachStore, type Context, type Row, type Scenario } from '../scenario.js'
import type { StoreUnderTest } from '../stores.js'
import { Segments } from '../segments.js'

const name = 'stop-under-load'

/**
 * Sends SIGTERM at random moments under load. Every sent request must be answered, and the exit code must be 0.
 */
export const stopUnderLoadScenario: Scenario = {
  name,
  smoke: true,
  run: (context) => onEachStore(context, over),
}

function over(store: StoreUnderTest, context: Context): Promise<Row> {
  const { random, runId, say } = context
  const rounds = byForm(context, { smoke: 2, quick: 8, thorough: 25 })
  return runWithFaults({ scenario: name, store, entityPrefix: `${runId}-stop` }, async (run) => {
    let service = await run.start()
    const segments = await Segments.define(run, context)
    await run.nextEntities()
    const load = run.load({ keyed: 32, unkeyed: 32, restMs: 20 })
    const readers = run.readers(random)
    let longest = 0
    for (let round = 1; round <= rounds; round += 1) {
      say(`${store.label}: stop ${String(round)} of ${String(rounds)}`)
      // Waits for all senders, because the kernel cuts connections that the service has not accepted yet.
      await load.everySenderHeard()
      await pause(random.between(0, 300))
      longest = Math.max(longest, await run.stop(service))
      service = await run.start()
      if (round % 10 === 0) await run.nextEntities()
    }
    await load.acknowledged(300)
    await load.stop()
    await readers.stop()
    await segments.stop()
    await run.stop(service)
    await segments.settle()
    run.notes.push(
      `${String(readers.answered)} reads knew what was acknowledged, ${String(readers.refused)} were refused`,
      `${String(rounds)} stops, the longest ${(longest / 1_000).toFixed(1)} s`,
      `${String(load.codes.get('shutting_down') ?? 0)} requests refused as shutting_down`,
      `${String(load.cuts)} connections cut without an answer`,
    )
  })
}
