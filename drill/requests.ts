/** One request of a drill. What it holds follows from its serial number, which no other has. */
export interface DrillRequest {
  readonly serial: number
  readonly kind: 'entity' | 'event'
  /** The entity that it creates, or that its event belongs to. */
  readonly entity: string
  readonly keyed: boolean
}

export const drillKey = 'drill-key-of-no-other-use'
export const eventName = 'purchase'

/** Different for each serial number, so that the reply to another request is told from its own. */
export function propertiesOf(serial: number, padding: string): Readonly<Record<string, unknown>> {
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
export function bytesOf(request: DrillRequest, padding: string): string {
  const { kind, keyed } = request
  const path = kind === 'entity' ? '/entities' : '/events'
  const head = headOf(path) + (keyed ? `Idempotency-Key: ${keyOf(request)}\r\n` : '')
  return withBody(head, fieldsOf(request, padding))
}

/** Requests as the items of one batch, the same every time. */
export function batchBytesOf(requests: readonly DrillRequest[], padding: string): string {
  const items = requests.map((request) => ({
    op: request.kind === 'entity' ? 'create_entity' : 'record_event',
    ...(request.keyed ? { idempotency_key: keyOf(request) } : {}),
    ...fieldsOf(request, padding),
  }))
  return withBody(headOf('/batch'), { items })
}

function keyOf({ serial }: DrillRequest): string {
  return `drill-${String(serial)}`
}

function fieldsOf({ serial, kind, entity }: DrillRequest, padding: string): object {
  const properties = propertiesOf(serial, padding)
  return kind === 'entity'
    ? { external_id: entity, properties }
    : { entity_external_id: entity, name: eventName, properties }
}

function withBody(head: string, content: object): string {
  const body = JSON.stringify(content)
  return `${head}Content-Length: ${String(Buffer.byteLength(body))}\r\n\r\n${body}`
}

/** The start of a POST that may write, without an end of its headers. */
export function headOf(path: string): string {
  return (
    `POST ${path} HTTP/1.1\r\nHost: dossier\r\nAuthorization: Bearer ${drillKey}\r\n` +
    'Content-Type: application/json\r\n'
  )
}
