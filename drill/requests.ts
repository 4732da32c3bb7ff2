/** One request of a drill. What it holds follows from its serial number, which no other has. */
export interface DrillRequest {
  readonly serial: number
  readonly kind: 'entity' | 'event' | 'upsert'
  /** The entity that it creates, changes, or that its event belongs to. */
  readonly entity: string
  readonly keyed: boolean
}

export const drillKey = 'drill-key-of-no-other-use'
export const eventName = 'purchase'
/** What an upsert takes away, whether it is there or not. */
export const unsetNames = ['trial', 'coupon']

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
  const { serial, keyed } = request
  const { target, content } = contentOf(request, propertiesOf(serial, padding))
  const body = JSON.stringify(content)
  const key = keyed ? `Idempotency-Key: drill-${String(serial)}\r\n` : ''
  return `${headOf(target)}${key}Content-Length: ${String(Buffer.byteLength(body))}\r\n\r\n${body}`
}

function contentOf({ kind, entity }: DrillRequest, properties: object) {
  switch (kind) {
    case 'entity':
      return { target: 'POST /entities', content: { external_id: entity, properties } }
    case 'event':
      return {
        target: 'POST /events',
        content: { entity_external_id: entity, name: eventName, properties },
      }
    case 'upsert':
      return {
        target: `PATCH /entities/${encodeURIComponent(entity)}`,
        content: { set: properties, unset: unsetNames, upsert: true },
      }
  }
}

/** The start of a request (`POST /events`) that may write, without an end of its headers. */
export function headOf(target: string): string {
  return (
    `${target} HTTP/1.1\r\nHost: dossier\r\nAuthorization: Bearer ${drillKey}\r\n` +
    'Content-Type: application/json\r\n'
  )
}
