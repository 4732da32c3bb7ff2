import type { Order } from './order.js'

/** Coprime to all counts of entities that are round numbers: neighbours in time are no neighbours. */
const stride = 7_919

/** How many events of an entity are asked for. */
const pageLimit = 100

/** The n-th request of an order as text: about 200 bytes of body, no two orders alike. */
export function requestsOf(order: Order): (n: number) => string {
  const { kind, named, prefix } = order
  const head = headOf(order)
  const idOf = (n: number) => `customer-${String(placeOf(n, named))}`
  switch (kind) {
    case 'entity':
      return (n) => {
        const body = entityBody(`${prefix}${String(named.first + n)}`)
        return `${head}${String(body.length)}\r\n\r\n${body}`
      }
    case 'patch':
      return (n) => {
        const body = changeBody(n)
        return `${headOf(order, idOf(n))}${String(body.length)}\r\n\r\n${body}`
      }
    case 'profile':
      return (n) => readOf(order, `/entities/${idOf(n)}`)
    case 'timeline':
      return (n) => readOf(order, `/entities/${idOf(n)}/events?limit=${String(pageLimit)}`)
    case 'event':
      if (order.batch !== undefined) return batchesOf(order.batch, head, idOf)
      return (n) => {
        const body = eventBody(idOf(n))
        return `${head}${String(body.length)}\r\n\r\n${body}`
      }
    case 'change':
      return (n) => {
        const body = membershipBody(idOf(n), Math.floor(n / named.count) % 2 === 0)
        return `${head}${String(body.length)}\r\n\r\n${body}`
      }
    case 'keyed-event':
      return (n) => {
        const body = eventBody(idOf(n))
        const length = String(body.length)
        return `${head}${length}\r\nidempotency-key: ${prefix}${String(n)}\r\n\r\n${body}`
      }
  }
}

function readOf(order: Order, target: string): string {
  return `${[`GET ${target} HTTP/1.1`, ...callerOf(order)].join('\r\n')}\r\n\r\n`
}

/** Events of a batch are of entities that follow one another: hardly two of the same. */
function batchesOf(size: number, head: string, idOf: (n: number) => string) {
  return (n: number) => {
    const items = Array.from({ length: size }, (_, at) => {
      const fields = eventBody(idOf(n * size + at)).slice(1)
      return `{"op":"record_event",${fields}`
    })
    const body = `{"items":[${items.join(',')}]}`
    return `${head}${String(body.length)}\r\n\r\n${body}`
  }
}

function targetOf({ kind, batch }: Order, id: string): string {
  if (batch !== undefined) return 'POST /batch'
  if (kind === 'patch') return `PATCH /entities/${id}`
  return kind === 'entity' ? 'POST /entities' : 'POST /events'
}

function headOf(order: Order, id = ''): string {
  return [
    `${targetOf(order, id)} HTTP/1.1`,
    ...callerOf(order),
    'content-type: application/json',
    'content-length: ',
  ].join('\r\n')
}

function callerOf({ origin, key }: Order): readonly string[] {
  return [`host: ${new URL(origin).host}`, `authorization: Bearer ${key}`]
}

/** `count` places spread evenly over `of`. */
function placeOf(n: number, { count, of }: Order['named']): number {
  return Math.floor((((n * stride) % count) * of) / count)
}

function eventBody(id: string): string {
  return (
    `{"entity_external_id":"${id}","name":"purchase","properties":{"invoice":"536365",` +
    '"product":"WHITE HANGING HEART T-LIGHT HOLDER","quantity":6,"unit_price":2.55,' +
    '"country":"United Kingdom","channel":"web"}}'
  )
}

/** Each event of an entity says the opposite of the one before, but for the first of an order. */
function membershipBody(id: string, isIn: boolean): string {
  return (
    `{"entity_external_id":"${id}","name":"change","properties":{"in":${String(isIn)},` +
    '"product":"WHITE HANGING HEART T-LIGHT HOLDER","quantity":6,"unit_price":2.55,' +
    '"country":"United Kingdom","channel":"web"}}'
  )
}

function changeBody(n: number): string {
  return (
    `{"set":{"last_order":"${String(n)}","product":"WHITE HANGING HEART T-LIGHT HOLDER",` +
    '"segment":"HOME AND GARDEN, RETURNING","average":2.55,"country":"United Kingdom",' +
    '"channel":"web"},"unset":["trial_ends"]}'
  )
}

function entityBody(id: string): string {
  return (
    `{"external_id":"${id}","properties":{"first_order":"536365","plan":"free",` +
    '"segment":"HOME AND GARDEN, RETURNING","orders":6,"average":2.55,' +
    '"country":"United Kingdom","channel":"web"}}'
  )
}
