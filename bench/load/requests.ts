import type { Order } from './order.js'

/** This number is coprime to all round numbers of entities, so consecutive requests are about distant entities. */
const stride = 7_919

/** The number of events that a read of a timeline requests. */
const pageLimit = 100

/**
 * Returns a function for the text of an order's n-th request. A body has about 200 bytes, and each order's bodies
 * differ.
 */
export function requestsOf(order: Order): (n: number) => string {
  const { kind, named, prefix } = order
  const head = headOf(order)
  const idOf = (n: number) => `customer-${String(placeOf(n, named))}`
  if (order.batch !== undefined) return batchesOf(order, order.batch, head, itemOf(order, idOf))
  if (isRead(kind)) return (n) => readOf(order, targets[kind](idOf(n)))
  switch (kind) {
    case 'entity':
      return (n) => {
        const body = entityBody(`${prefix}${String(named.first + n)}`)
        return `${head}${String(body.length)}\r\n\r\n${body}`
      }
    case 'event':
      return (n) => {
        const body = eventBody(idOf(n))
        return `${head}${String(body.length)}\r\n\r\n${body}`
      }
    case 'tracked':
      throw new TypeError('what is tracked is sent in batches')
    case 'keyed-event':
      return (n) => {
        const body = eventBody(idOf(n))
        const length = String(body.length)
        return `${head}${length}\r\nidempotency-key: ${prefix}${String(n)}\r\n\r\n${body}`
      }
  }
}

/** The path of each kind of read, by the id of the entity. */
const targets = {
  profile: (id: string) => `/entities/${id}`,
  timeline: (id: string) => `/entities/${id}/events?limit=${String(pageLimit)}`,
}

function isRead(kind: Order['kind']): kind is keyof typeof targets {
  return Object.hasOwn(targets, kind)
}

function readOf(order: Order, target: string): string {
  return `${[`GET ${target} HTTP/1.1`, ...callerOf(order)].join('\r\n')}\r\n\r\n`
}

/**
 * Returns a function for batches. The events of a batch belong to consecutive entities, so that few belong to one
 * entity.
 */
function batchesOf({ kind }: Order, size: number, head: string, itemOf: (n: number) => string) {
  const list = kind === 'tracked' ? 'batch' : 'items'
  return (n: number) => {
    const items = Array.from({ length: size }, (_, at) => itemOf(n * size + at))
    const body = `{"${list}":[${items.join(',')}]}`
    return `${head}${String(body.length)}\r\n\r\n${body}`
  }
}

/** Returns a function for the n-th item of an order's batches. */
function itemOf({ kind, prefix }: Order, idOf: (n: number) => string): (n: number) => string {
  if (kind === 'tracked') return (n) => trackedItem(idOf(n), `${prefix}${String(n)}`)
  const event = (n: number) => `"op":"record_event",${eventBody(idOf(n)).slice(1)}`
  if (kind !== 'keyed-event') return (n) => `{${event(n)}`
  return (n) => `{"idempotency_key":"${prefix}${String(n)}",${event(n)}`
}

/** Returns the event as an SDK of Segment's protocol sends it, without its context. */
function trackedItem(id: string, messageId: string): string {
  const properties = eventBody(id).split('"properties":')[1] ?? ''
  const head = `"type":"track","userId":"${id}","messageId":"${messageId}","event":"purchase"`
  return `{${head},"properties":${properties}`
}

function targetOf({ kind, batch }: Order): string {
  if (kind === 'tracked') return 'POST /v1/batch'
  if (batch !== undefined) return 'POST /batch'
  return kind === 'entity' ? 'POST /entities' : 'POST /events'
}

function headOf(order: Order): string {
  return [
    `${targetOf(order)} HTTP/1.1`,
    ...callerOf(order),
    'content-type: application/json',
    'content-length: ',
  ].join('\r\n')
}

function callerOf({ origin, key }: Order): readonly string[] {
  return [`host: ${new URL(origin).host}`, `authorization: Bearer ${key}`]
}

/** Returns the n-th of `count` numbers that are evenly spread over `of`. */
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

function entityBody(id: string): string {
  return (
    `{"external_id":"${id}","properties":{"first_order":"536365","plan":"free",` +
    '"segment":"HOME AND GARDEN, RETURNING","orders":6,"average":2.55,' +
    '"country":"United Kingdom","channel":"web"}}'
  )
}
