import type { Properties } from '../../client/dossier.js'

/** A typed text as a value that the service accepts, or the reason why the text is invalid. */
export type Typed<T> = { readonly value: T } | { readonly wrong: string }

/** Parses the JSON of an object. Empty text means an object without members. */
export function typedProperties(text: string): Typed<Properties> {
  if (text.trim() === '') return { value: {} }
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value)
      ? { value }
      : { wrong: 'This is JSON, but not an object such as {"plan": "paid"}.' }
  } catch (error) {
    return { wrong: `This is not JSON: ${error instanceof Error ? error.message : String(error)}.` }
  }
}

/** Returns the typed object, or an object without members if the text is invalid. */
export function valueOf(typed: Typed<Properties>): Properties {
  return 'value' in typed ? typed.value : {}
}

function isObject(value: unknown): value is Properties {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns a time as the service accepts it. A time without an offset becomes UTC. Returns undefined for empty text. */
export function typedTime(text: string): string | undefined {
  const [day = '', ...rest] = text.trim().split(/[ T]/)
  if (day === '') return undefined
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) return text.trim()
  const time = rest.length === 0 ? '00:00' : rest.join('')
  const offset = /(?:Z|[+-]\d\d:\d\d)$/i.test(time) ? '' : 'Z'
  return `${day}T${time.replace(/^(\d\d:\d\d)(?!:)/, '$1:00')}${offset}`
}

const instant = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i

/**
 * Returns whether a result of `typedTime` is an RFC 3339 instant. JavaScript's own parser would read `24 Nov` as a day
 * of 2001.
 */
export function isInstant(time: string): boolean {
  const [, day = ''] = instant.exec(time) ?? []
  const midnight = Date.parse(day)
  if (Number.isNaN(midnight) || Number.isNaN(Date.parse(time))) return false
  // JavaScript parses 30 February as 2 March. Comparing the day detects this.
  return new Date(midnight).toISOString().startsWith(day)
}

/** Returns the own time of a write from typed text. Without text, the write gets the current time. */
export function ownTime(text: string): { readonly occurred_at?: string } {
  const at = typedTime(text)
  return at === undefined ? {} : { occurred_at: at }
}
