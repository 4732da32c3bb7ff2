const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/**
 * Returns the first 48 bits of a UUID in lower case: in version 7, the time of its generation in milliseconds since
 * 1970. Undefined for any other text.
 */
export function millisecondsIn(id: string): number | undefined {
  return uuid.test(id) ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : undefined
}
