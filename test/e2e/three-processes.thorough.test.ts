import { afterEach, expect, it } from '@jest/globals'
import { signsOfCrash } from '../../fault-injection/signs-of-crash.js'
import { DoubleProcess } from '../support/double-process.js'
import { parseConnectionUrl } from '../../src/adapters/eventstoredb/client/connection-url.js'
import { ReplicaProcess } from '../support/processes/replica-process.js'
import { SharedStoreRun } from '../support/processes/shared-store-run.js'
import { killServices } from '../support/service-process.js'
import { StoreFacts } from '../support/processes/store-facts.js'
import { writesIn } from '../support/processes/writes-in.js'
import { checkBuilds, checkTicks } from '../support/segments/published-facts.js'
import { checkPublishedChanges } from '../support/segments/published-changes.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const rounds = 15
const entities = 150
const lanes = 3
const names = ['a', 'b', 'c']

const folder = temporaryFolders()
const cleanUp: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const clean of cleanUp.splice(0).toReversed()) await clean()
  // This also kills a process that was being restarted when the test failed.
  killServices()
})

it('three processes over one store, with faults under load, publish the changes that a single process would', async () => {
  const double = await DoubleProcess.start()
  cleanUp.push(() => double.end())
  const [store] = parseConnectionUrl(double.connectionString)?.hosts ?? []
  if (store === undefined) throw new Error('the double has no address')
  const replicas = await Promise.all(
    names.map((name) => ReplicaProcess.started(name, folder(), store)),
  )
  for (const replica of replicas) cleanUp.push(() => replica.end())
  const facts = new StoreFacts(double.connectionString)
  cleanUp.push(() => facts.close())

  const run = new SharedStoreRun({ replicas, store: facts, seed: 20261122, entities, lanes })
  await run.begin()
  for (let number = 1; number <= rounds; number += 1) await run.round(number)
  const log = await run.calm()

  expect(run.faults).toEqual([])
  expect(writesIn(log, run.load)).toMatchObject({ lost: [], doubled: [] })
  checkTicks(log)
  checkBuilds(log)
  expect(checkPublishedChanges(log)).toBe(run.published.entered + run.published.left)
  // Checks that the run published and compared enough to be meaningful.
  expect(run.published.left).toBeGreaterThan(0)
  expect(run.replies.compared).toBeGreaterThanOrEqual(3 * 4 * rounds)
  for (const replica of replicas) expect(signsOfCrash(replica.lines)).toEqual([])
})
