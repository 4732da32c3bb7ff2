const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/**
 * Returns the first 48 bits of a UUID. In a UUID of version 7, they are the time of its generation, in
 * milliseconds since 1970. Returns undefined for a text that is not a UUID in lower case.
 */
export function millisecondsIn(id: string): number | undefined {
  return uuid.test(id) ? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : undefined
}
