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
  const { serial, kind, entity, keyed } = request
  const properties = propertiesOf(serial, padding)
  const content =
    kind === 'entity'
      ? { external_id: entity, properties }
      : { entity_external_id: entity, name: eventName, properties }
  const body = JSON.stringify(content)
  const path = kind === 'entity' ? '/entities' : '/events'
  const key = keyed ? `Idempotency-Key: drill-${String(serial)}\r\n` : ''
  return `${headOf(path)}${key}Content-Length: ${String(Buffer.byteLength(body))}\r\n\r\n${body}`
}

/** The start of a POST that may write, without an end of its headers. */
export function headOf(path: string): string {
  return (
    `POST ${path} HTTP/1.1\r\nHost: dossier\r\nAuthorization: Bearer ${drillKey}\r\n` +
    'Content-Type: application/json\r\n'
  )
}
