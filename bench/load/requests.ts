import type { Order } from './order.js'

/** Coprime to all counts of entities that are round numbers: neighbours in time are no neighbours. */
const stride = 7_919

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
    case 'event':
      return (n) => {
        const body = eventBody(idOf(n))
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

function headOf({ kind, origin, key }: Order): string {
  return [
    `POST ${kind === 'entity' ? '/entities' : '/events'} HTTP/1.1`,
    `host: ${new URL(origin).host}`,
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    'content-length: ',
  ].join('\r\n')
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

function entityBody(id: string): string {
  return (
    `{"external_id":"${id}","properties":{"first_order":"536365","plan":"free",` +
    '"segment":"HOME AND GARDEN, RETURNING","orders":6,"average":2.55,' +
    '"country":"United Kingdom","channel":"web"}}'
  )
}
