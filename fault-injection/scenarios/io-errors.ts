import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { canTrace } from '../../test/support/hold-flushes.js'
import { canLimit } from '../../test/support/limit-file-size.js'
import { ioFaults, type IoFault } from '../io-faults.js'
import { IoRounds } from '../io-rounds.js'
import { runWithFaults } from '../run.js'
import { byForm, skippedRow, type Context, type Row, type Scenario } from '../scenario.js'
import { Segments } from '../segments.js'
import { openSqlite } from '../stores.js'

const name = 'io-errors'
/**
 * The timeout of a round in milliseconds. Generous, because a round has two starts and a recovery of up to 20 s.
 */
const maxStepMs = 60_000

/** System calls for the disk fail, one kind after another. Acknowledged facts must survive. */
export const ioErrorsScenario: Scenario = {
  name,
  smoke: true,
  maxMs: { thorough: 60 * 60_000 },
  run: (context) =>
    tryIoFaults(
      ioFaults.filter(({ smoke }) => context.form !== 'smoke' || smoke),
      context,
    ),
}

/** Runs these faults, and returns one row for each. */
export async function tryIoFaults(
  faults: readonly IoFault[],
  context: Context,
): Promise<readonly Row[]> {
  if (!canTrace() || !canLimit()) {
    const reason = 'strace and prlimit make calls fail, and one of them does not work here'
    return [skippedRow(name, 'sqlite', reason)]
  }
  const rows: Row[] = []
  for (const fault of faults) rows.push(await under(fault, context))
  return rows
}

async function under(fault: IoFault, context: Context): Promise<Row> {
  const { runId, say, random } = context
  const scenario = `${name}, ${fault.label}`
  const rounds =
    fault.moment === 'at start'
      ? byForm(context, { smoke: 1, quick: 8, thorough: 32 })
      : byForm(context, { smoke: 1, quick: 3, thorough: 12 })
  const store = await openSqlite()
  // Large enough that pages leave SQLite's cache, and that WAL checkpoints run.
  const padding = 'x'.repeat(4_000)
  const options = { scenario, store, entityPrefix: `${runId}-io`, padding, mayGiveUp: true }
  return runWithFaults(options, async (run) => {
    await run.start()
    const segments = await Segments.define(run, context)
    await run.nextEntities()
    const senders = byForm(context, { smoke: 4, quick: 16, thorough: 16 })
    const load = run.load({ keyed: senders, unkeyed: senders, restMs: 50, creationEvery: 8 })
    const database = join(run.folder, 'dossier.db')
    const tried = new IoRounds(run, fault, database, load, random)
    for (let n = 1; n <= rounds; n += 1) {
      say(`${fault.label}: round ${String(n)} of ${String(rounds)}`)
      await within(tried.round(n), 'a round did not end')
      if (n < rounds) await within(run.nextEntities(), 'entities were not stored')
    }
    run.notes.push(...tried.notes(rounds))
    await within(load.stop(), 'requests were not stored under their keys, however often they came')
    await segments.stop()
    await run.stop(await run.current())
    await segments.settle()
  })
}

/** Ends the run when a round takes too long: on a damaged file, a request could fail forever. */
async function within(done: Promise<void>, otherwise: string): Promise<void> {
  const late = await Promise.race([done.then(() => false), pause(maxStepMs, true, { ref: false })])
  if (late) throw new Error(`${otherwise} in ${String(maxStepMs / 1_000)} s`)
}
