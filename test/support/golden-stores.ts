import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { Disk } from './eventstoredb/disk.js'

/**
 * Stores written by a release that knew only version 1 of `EventRecorded`. Each store got five requests. `ada` was
 * created (idempotency key `create-ada`), logged in, and bought something (`order-1001`). `zoë 🦊` was created and
 * bought something (also with the key `order-1001`).
 */
const written = 'test/golden/stores/before-event-recorded-v2'

/** Copies the SQLite file to this folder and returns its path. */
export function copyOfSqliteFile(folder: string): string {
  const path = join(folder, 'dossier.db')
  copyFileSync(`${written}.db`, path)
  return path
}

const events = z.array(
  z.object({
    stream: z.string(),
    revision: z.string().transform(BigInt),
    position: z.string().transform(BigInt),
    id: z.string(),
    type: z.string(),
    data: z.string(),
    metadata: z.string(),
  }),
)

/** Returns the log of EventStoreDB, to start a double with. */
export function diskOfEventStoreDb(): Disk {
  const disk = new Disk()
  const text = readFileSync(`${written}.eventstoredb.json`, 'utf8')
  for (const { stream, revision, position, ...event } of events.parse(JSON.parse(text))) {
    const [data, metadata] = [Buffer.from(event.data), Buffer.from(event.metadata)]
    const record = disk.write(stream, revision, { ...event, data, metadata, isJson: true })
    if (record.position !== position) throw new Error('not where it was written')
  }
  disk.commit(disk.written)
  return disk
}
