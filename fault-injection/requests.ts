import type { JsonObject } from '../src/domain/json.js'

/** One request of a run. What it holds follows from its serial number, which no other has. */
export interface LoadRequest {
  readonly serial: number
  readonly kind: 'entity' | 'event' | 'upsert'
  /** The entity that it creates, changes, or that its event belongs to. */
  readonly entity: string
  readonly keyed: boolean
}

export const runKey = 'run-key-of-no-other-use'
export const eventName = 'purchase'
/** What an upsert takes away, whether it is there or not. */
export const unsetNames = ['trial', 'coupon']

/** Different for each serial number, so that the reply to another request is told from its own. */
export function propertiesOf(serial: number, padding: string): JsonObject {
  return {
    serial,
    product: 'Weißes Herz, hängend \u{1F90D}',
    quantity: serial % 7,
    price: serial / 100,
    nested: { odd: serial % 2 === 1, list: [serial, null] },
    padding,
  }
}

/** The request as it goes over the wire, the same every time. */
export function bytesOf(request: LoadRequest, padding: string): string {
  const key = request.keyed ? `Idempotency-Key: ${keyOf(request)}\r\n` : ''
  return withBody(headOf(targetOf(request)) + key, fieldsOf(request, padding))
}

/** Requests as the items of one batch, the same every time. */
export function batchBytesOf(requests: readonly LoadRequest[], padding: string): string {
  const items = requests.map((request) => ({
    op: operationOf[request.kind],
    ...(request.keyed ? { idempotency_key: keyOf(request) } : {}),
    ...(request.kind === 'upsert' ? { external_id: request.entity } : {}),
    ...fieldsOf(request, padding),
  }))
  return withBody(headOf('POST /batch'), { items })
}

const operationOf: Readonly<Record<LoadRequest['kind'], string>> = {
  entity: 'create_entity',
  event: 'record_event',
  upsert: 'update_entity',
}

function keyOf({ serial }: LoadRequest): string {
  return `run-${String(serial)}`
}

function targetOf({ kind, entity }: LoadRequest): string {
  switch (kind) {
    case 'entity':
      return 'POST /entities'
    case 'event':
      return 'POST /events'
    case 'upsert':
      return `PATCH /entities/${encodeURIComponent(entity)}`
  }
}

function fieldsOf({ serial, kind, entity }: LoadRequest, padding: string): object {
  const properties = propertiesOf(serial, padding)
  switch (kind) {
    case 'entity':
      return { external_id: entity, properties }
    case 'event':
      return { entity_external_id: entity, name: eventName, properties }
    case 'upsert':
      return { set: properties, unset: unsetNames, upsert: true }
  }
}

function withBody(head: string, content: object): string {
  const body = JSON.stringify(content)
  return `${head}Content-Length: ${String(Buffer.byteLength(body))}\r\n\r\n${body}`
}

/** The start of a request (`POST /events`) that may write, without an end of its headers. */
export function headOf(target: string): string {
  return (
    `${target} HTTP/1.1\r\nHost: dossier\r\nAuthorization: Bearer ${runKey}\r\n` +
    'Content-Type: application/json\r\n'
  )
}
