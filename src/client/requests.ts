import type { ReadOptions, Request, WriteOptions } from './transport.js'

/** A read of this path, which carries the Position. */
export function reading({ wait }: ReadOptions, path: string): Request<undefined> {
  const prefer = wait === undefined ? undefined : `wait=${String(wait)}`
  return { kind: 'read', method: 'GET', path, headers: { prefer } }
}

/** A write that is stored once however often it is sent. */
export function keyed<Method extends 'DELETE' | 'PATCH' | 'POST' | 'PUT'>(
  { idempotencyKey = newKey() }: WriteOptions,
  method: Method,
  path: string,
) {
  return { kind: 'keyed', method, path, headers: { 'idempotency-key': idempotencyKey } } as const
}

/** Random, 32 hex digits. `crypto.randomUUID` is missing in pages that were not loaded over https. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** One step of a path. */
export function step(text: string): string {
  return encodeURIComponent(text)
}

/** Members that are undefined are left out. */
export function withQuery(
  path: string,
  query: Readonly<Record<string, string | number | undefined>>,
): string {
  const words = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) words.append(name, String(value))
  }
  const text = words.toString()
  return text === '' ? path : `${path}?${text}`
}
