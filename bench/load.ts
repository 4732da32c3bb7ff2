import { Agent, request } from 'node:http'
import { benchKey } from './bench-key.js'

/**
 * Sends `POST /events` over so many connections for so long and prints what came of it. A process of
 * its own: what it costs is not the server's cost.
 */
const [origin = '', connections = '64', seconds = '2'] = process.argv.slice(2)
const entities = 1_000
const agent = new Agent({ keepAlive: true, maxSockets: Number(connections) })
const latencies: number[] = []
let failures = 0

function post(path: string, body: object): Promise<number> {
  const text = JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const sent = request(`${origin}${path}`, {
      agent,
      method: 'POST',
      headers: {
        authorization: `Bearer ${benchKey}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      },
    })
    sent.once('error', reject)
    sent.once('response', (reply) => {
      reply.resume()
      reply.once('end', () => {
        resolve(reply.statusCode ?? 0)
      })
    })
    sent.end(text)
  })
}

for (let n = 0; n < entities; n += 1)
  await post('/entities', { external_id: `customer-${String(n)}` })

const until = performance.now() + Number(seconds) * 1_000
let next = 0

async function send(): Promise<void> {
  while (performance.now() < until) {
    const begun = performance.now()
    const status = await post('/events', {
      entity_external_id: `customer-${String((next += 1) % entities)}`,
      name: 'purchase',
      properties: { product: 'WHITE HANGING HEART T-LIGHT HOLDER', quantity: 6, unit_price: 2.55 },
    })
    latencies.push(performance.now() - begun)
    if (status !== 201) failures += 1
  }
}

await Promise.all(Array.from({ length: Number(connections) }, send))
agent.destroy()
latencies.sort((a, b) => a - b)
const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0
console.log(
  JSON.stringify({
    perSecond: latencies.length / Number(seconds),
    p50: at(0.5),
    p99: at(0.99),
    failures,
  }),
)
