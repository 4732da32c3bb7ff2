import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Dossier, DossierError, type ErasureReceipt } from '../../src/client/dossier.js'
import { StartedService } from './started-service.js'

/** Puts the read model in the folder `data`, beside all other files of the service. */
const env = { READ_MODEL: 'data/read-model.db' }

export interface ErasingService {
  readonly service: StartedService
  readonly client: Dossier
}

export async function startErasing(
  place: string,
  more: Readonly<Record<string, string>> = {},
): Promise<ErasingService> {
  const service = await StartedService.start(place, { ...env, ...more })
  return { service, client: new Dossier({ url: service.origin, key: service.key }) }
}

export async function kill({ service }: Pick<ErasingService, 'service'>): Promise<void> {
  await service.end('SIGKILL')
}

/** Calls `look` until it returns a value. */
export async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    await pause(50)
  }
}

type State = ErasureReceipt['places'][number]['state']

/**
 * Waits until the store and the read model are in one of these states for each erasure. Returns the
 * receipts.
 */
export function allPurged(
  client: Dossier,
  states: readonly State[] = ['purged'],
): Promise<readonly ErasureReceipt[]> {
  return until(async () => {
    const receipts = await receiptsOf(client)
    return receipts.length > 0 && receipts.every((one) => isIn(states, one)) ? receipts : undefined
  })
}

/** Returns all receipts. Returns an empty list while the service answers with 503. */
async function receiptsOf(client: Dossier): Promise<readonly ErasureReceipt[]> {
  const receipts: ErasureReceipt[] = []
  try {
    for await (const receipt of client.erasures.list()) receipts.push(receipt)
  } catch (error) {
    if (error instanceof DossierError && error.status === 503) return []
    throw error
  }
  return receipts
}

function isIn(states: readonly State[], { removed, places }: ErasureReceipt): boolean {
  const own = places.filter(({ place }) => place === 'store' || place === 'read model')
  return removed !== null && own.length === 2 && own.every(({ state }) => states.includes(state))
}

/** Returns the names of the service's files that contain the text. */
export function filesWith(place: string, text: string): readonly string[] {
  const data = join(place, 'data')
  return readdirSync(data).filter((name) => readFileSync(join(data, name)).includes(text))
}

/** Returns the number of bytes in the service's files. */
export function bytesIn(place: string): number {
  const data = join(place, 'data')
  return readdirSync(data).reduce((sum, name) => sum + readFileSync(join(data, name)).length, 0)
}

/** Records events with idempotency keys, in batches. Each event contains the text `note`. */
export async function record(
  client: Dossier,
  externalId: string,
  { events, note }: { readonly events: number; readonly note: string },
): Promise<void> {
  const items = Array.from({ length: events }, (_, n) => ({
    op: 'record_event' as const,
    entity_external_id: externalId,
    name: 'buy',
    properties: { n, note },
    idempotency_key: `buy-${String(n)}`,
  }))
  for await (const { error } of client.batch(items)) {
    if (error !== undefined) throw new Error(error.code)
  }
}
