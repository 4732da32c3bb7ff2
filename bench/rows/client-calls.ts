import { randomUUID } from 'node:crypto'
import { Dossier } from 'dossier/client'
import { serveSlices } from './process-slices.js'

/**
 * Records events, a process of its own: `client` through `dossier/client`, `fetch` with the same requests
 * written by hand. `node client-calls.js client|fetch ORIGIN KEY`.
 */
const inFlight = 16
const entities = 500

const [kind, url = '', key = ''] = process.argv.slice(2)
const dossier = new Dossier({ url, key })
const run = randomUUID()

const idOf = (n: number) => `customer ${run} ${String(n % entities)}`
const event = {
  name: 'purchase',
  properties: { product: 'WHITE HANGING HEART T-LIGHT HOLDER', quantity: 6, unit_price: 2.55 },
}

async function byHand(n: number): Promise<void> {
  const reply = await fetch(`${url}/events`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: JSON.stringify({ entity_external_id: idOf(n), ...event }),
  })
  const body: unknown = await reply.json()
  if (reply.status !== 201) throw new Error(`${String(reply.status)} ${JSON.stringify(body)}`)
}

for (let n = 0; n < entities; n += 1) await dossier.entities.create(idOf(n))
serveSlices(
  inFlight,
  kind === 'client' ? (n) => dossier.entities.record(idOf(n), event) : byHand,
  () => Promise.resolve(),
)
