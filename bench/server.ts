import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SqliteEventStore } from '../src/adapters/sqlite/sqlite-event-store.js'
import { createServer } from '../src/adapters/http/create-server.js'
import { systemClock } from '../src/adapters/system/system-clock.js'
import { uuidGenerator } from '../src/adapters/system/uuid-generator.js'
import { singleKeyRing } from '../src/adapters/api-keys/single-key-ring.js'
import { checkReadinessUseCase } from '../src/application/check-readiness.js'
import { createEntityUseCase } from '../src/application/create-entity.js'
import type { EventStore } from '../src/application/ports/event-store.js'
import type { Log } from '../src/application/ports/log.js'
import { recordEventUseCase } from '../src/application/record-event.js'
import { benchKey } from './bench-key.js'

/**
 * The service over an embedded store of its own. `grouped`: as it is. `single`: the same, but each
 * append waits for the one before it, so that every commit holds one request.
 */
const [mode] = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'dossier-bench-'))
const log: Log = {
  info: () => undefined,
  warn: (details, message) => {
    console.error(message, details)
  },
  error: (details, message) => {
    console.error(message, details)
  },
}
const sqlite = await SqliteEventStore.open({
  path: join(folder, 'dossier.db'),
  timeoutMs: 60_000,
  maxInFlight: 4_096,
  log,
})
const store = mode === 'single' ? oneAtATime(sqlite) : sqlite
const server = createServer(
  {
    useCases: {
      createEntity: createEntityUseCase(store, systemClock, uuidGenerator),
      recordEvent: recordEventUseCase(store, systemClock, uuidGenerator),
      checkReadiness: checkReadinessUseCase(sqlite, systemClock),
    },
    keyRing: singleKeyRing(benchKey),
    log,
    phase: { phase: 'serving' },
  },
  { bodyLimit: 262_144, logRequests: false, version: 'bench' },
)
console.log(await server.listen({ host: '127.0.0.1', port: 0 }))

process.once('SIGTERM', () => {
  void server
    .close()
    .then(() => sqlite.close())
    .finally(() => {
      rmSync(folder, { recursive: true })
    })
})

function oneAtATime(inner: EventStore): EventStore {
  let last: Promise<unknown> = Promise.resolve()
  return {
    append: (append) => {
      const mine = last.then(() => inner.append(append))
      last = mine.catch(() => undefined)
      return mine
    },
  }
}
