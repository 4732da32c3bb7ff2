import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { Disk } from './eventstoredb/disk.js'

/**
 * What a build wrote that knew version 1 of `EventRecorded` alone: the same five requests on each store.
 * `ada` was created (key `create-ada`), logged in, and bought something (key `order-1001`); `zoë 🦊` was
 * created and bought something (the key `order-1001` again).
 */
const written = 'test/golden/stores/before-event-recorded-v2'

/** A copy of the SQLite file, in this folder: its path. */
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

/** The log of EventStoreDB, for a double to be started on. */
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
