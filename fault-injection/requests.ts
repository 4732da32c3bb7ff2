import type { JsonObject } from '../src/domain/json.js'

/** A request of a run. Its content is derived from its unique serial number. */
export interface LoadRequest {
  readonly serial: number
  readonly kind: 'entity' | 'event' | 'upsert' | 'void'
  /** The entity that the request creates or changes, or whose event it records or voids. */
  readonly entity: string
  readonly keyed: boolean
  /** The id of the event that the request voids. Empty for other requests. */
  readonly voids: string
  /** Whether another request voids the event of this request. */
  readonly isVoided: boolean
}

export const runKey = 'run-key-of-no-other-use'
export const eventName = 'purchase'
/** The properties that an upsert removes, even if the entity lacks them. */
export const unsetNames = ['trial', 'coupon']

/**
 * Returns properties that differ for each serial number, so that replies to different requests can be told apart.
 */
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

/** Returns the bytes of the request. Each call returns equal bytes. */
export function bytesOf(request: LoadRequest, padding: string): string {
  const key = request.keyed ? `Idempotency-Key: ${keyOf(request)}\r\n` : ''
  if (request.kind === 'void') return `${startOf(targetOf(request))}${key}\r\n`
  return withBody(headOf(targetOf(request)) + key, fieldsOf(request, padding))
}

/** Returns the bytes of a batch with these requests as items. Each call returns equal bytes. */
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
  void: 'void_event',
}

function keyOf({ serial }: LoadRequest): string {
  return `run-${String(serial)}`
}

function targetOf({ kind, entity, voids }: LoadRequest): string {
  switch (kind) {
    case 'entity':
      return 'POST /entities'
    case 'event':
      return 'POST /events'
    case 'upsert':
      return `PATCH /entities/${encodeURIComponent(entity)}`
    case 'void':
      return `DELETE /entities/${encodeURIComponent(entity)}/events/${voids}`
  }
}

function fieldsOf({ serial, kind, entity, voids }: LoadRequest, padding: string): object {
  const properties = propertiesOf(serial, padding)
  switch (kind) {
    case 'entity':
      return { external_id: entity, properties }
    case 'event':
      return { entity_external_id: entity, name: eventName, properties }
    case 'upsert':
      return { set: properties, unset: unsetNames, upsert: true }
    case 'void':
      return { entity_external_id: entity, event_id: voids }
  }
}

function withBody(head: string, content: object): string {
  const body = JSON.stringify(content)
  return `${head}Content-Length: ${String(Buffer.byteLength(body))}\r\n\r\n${body}`
}

/** Returns the start of a request with a key that may write. The end of the headers is missing. */
export function headOf(target: string): string {
  return `${startOf(target)}Content-Type: application/json\r\n`
}

function startOf(target: string): string {
  return `${target} HTTP/1.1\r\nHost: dossier\r\nAuthorization: Bearer ${runKey}\r\n`
}
