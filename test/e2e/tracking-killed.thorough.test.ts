import { expect, it } from '@jest/globals'
import { gzipSync } from 'node:zlib'
import { sqliteFacts } from '../support/sqlite-facts.js'
import { StartedService } from '../support/started-service.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()
const senders = 8
const itemsOfRequest = 5
const people = 7
const kills = 3
const begunAt = Date.now()

const timeOf = (n: number) => new Date(begunAt - n * 1_000).toISOString()

/** Returns the n-th message as an SDK sends it. Every fifth identifies a user, and the others track an event. */
function message(n: number) {
  const userId = `user-${String(n % people)}`
  const common = { userId, messageId: `message-${String(n)}`, timestamp: timeOf(n) }
  if (n % 5 === 0) return { ...common, type: 'identify', traits: { n } }
  return { ...common, type: 'track', event: 'event', properties: { n } }
}

/** Returns whether the SDK was told that these messages are delivered. False: the connection broke. */
async function send({ origin, key }: StartedService, numbers: readonly number[]): Promise<boolean> {
  const batch = numbers.map(message)
  try {
    const reply = await fetch(`${origin}/v1/batch`, {
      method: 'POST',
      body: gzipSync(JSON.stringify({ batch, sentAt: new Date().toISOString() })),
      headers: {
        authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}`,
        'content-encoding': 'gzip',
        'x-retry-count': '1',
      },
    })
    expect(await reply.json()).toEqual({ success: true })
    expect(reply.status).toBe(200)
    return true
  } catch (error) {
    // The error belongs to another realm, so `instanceof` does not recognise it.
    if (String(error).startsWith('TypeError: fetch failed')) return false
    throw error
  }
}

interface Kept {
  readonly properties?: { readonly n?: number }
  readonly set?: { readonly n?: number }
  readonly occurredAt?: string
}

it('messages that an SDK counts as delivered are stored once, at their time, however often the service is killed', async () => {
  const place = folder()
  const delivered: number[] = []
  /** Messages that were sent and are not known to be delivered. They are sent again. */
  const open: (readonly number[])[] = []
  let made = 0
  const next = () => Array.from({ length: itemsOfRequest }, () => (made += 1))
  for (let round = 0; round < kills; round += 1) {
    const service = await StartedService.start(place)
    const enough = delivered.length + 300
    const sendOn = async (): Promise<void> => {
      for (;;) {
        const numbers = open.shift() ?? next()
        if (!(await send(service, numbers))) {
          open.push(numbers)
          return
        }
        delivered.push(...numbers)
        if (delivered.length >= enough) service.signal('SIGKILL')
      }
    }
    await Promise.all(Array.from({ length: senders }, sendOn))
    expect(await service.ended).toEqual({ code: null, signal: 'SIGKILL' })
  }
  expect(open.length).toBeGreaterThan(0)
  const last = await StartedService.start(place)
  for (const numbers of open) {
    expect(await send(last, numbers)).toBe(true)
    delivered.push(...numbers)
  }
  await last.end()
  const stored: number[] = []
  for (let person = 0; person < people; person += 1) {
    for (const { data } of sqliteFacts(last.database, `entity-user-${String(person)}`)) {
      const { properties, set, occurredAt } = JSON.parse(data) as Kept
      const n = properties?.n ?? set?.n
      // An entity that was created by an event had no properties at first.
      if (n === undefined) continue
      expect(n % people).toBe(person)
      if (occurredAt !== undefined) expect(occurredAt).toBe(timeOf(n))
      stored.push(n)
    }
  }
  const inOrder = (numbers: readonly number[]) => numbers.toSorted((one, other) => one - other)
  expect(inOrder(stored)).toEqual(inOrder(delivered))
  expect(delivered.length).toBe(made)
}, 120_000)
