import { parentPort, workerData } from 'node:worker_threads'
import { LentProfiles } from '../adapters/sqlite/read-model/thread/lent-profiles.js'
import { logOver, serveReads } from '../adapters/sqlite/read-model/thread/serve-reads.js'
import type { FromReader } from '../adapters/sqlite/read-model/thread/protocol.js'
import { StoreNotOpened } from '../application/ports/refusal.js'
import { openProjections, type ReadModelSettings } from './read-model.js'
import { storeKindOf } from './stores.js'

/** The worker thread that follows the log, maintains the read model and answers reads. */
const port = parentPort
if (port === null) throw new TypeError('this module must run as a worker thread')
const { readModel: path, searchProperties, log: logOptions } = workerData as ReadModelSettings
const log = logOver(port)

const opening: FromReader = { kind: 'opening' }
port.postMessage(opening)
try {
  const reads = storeKindOf(logOptions.url)?.reads
  if (reads === undefined) throw new TypeError('this store cannot be read from a thread')
  const factsFile = reads.factsFile(logOptions.url)
  const facts = await reads.openLog(logOptions)
  const lent = new LentProfiles()
  const model = openProjections(facts, { path, factsFile, searchProperties, lent }, log)
  serveReads(model, port, log, lent)
} catch (error) {
  if (!(error instanceof StoreNotOpened)) throw error
  port.postMessage({ kind: 'not_opened', reason: error.message })
  port.close()
}
