import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { sendDocumented } from './documented-reply.js'
import { readKey } from './http-service.js'

export type QueryValues = Readonly<Record<string, string | number>>

/** Returns a path with a query string. */
export function withQuery(path: string, query: QueryValues): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) parameters.set(name, String(value))
  return parameters.size === 0 ? path : `${path}?${String(parameters)}`
}

/** Sends a `GET` with a key that may read. */
export function get(
  server: FastifyInstance,
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<LightMyRequestResponse> {
  return sendDocumented(server, {
    method: 'GET',
    url,
    headers: { authorization: `Bearer ${readKey}`, ...headers },
  })
}

export type Item = Readonly<Record<string, unknown>>

/** Reads all pages of a list. Returns their items and the number of pages. */
export async function allPages(
  server: FastifyInstance,
  path: string,
  query: QueryValues = {},
  betweenPages: () => Promise<unknown> = () => Promise.resolve(),
): Promise<{ readonly items: readonly Item[]; readonly pages: number }> {
  const items: Item[] = []
  let cursor: string | null = null
  for (let pages = 1; ; pages += 1) {
    const page = await get(server, withQuery(path, cursor === null ? query : { ...query, cursor }))
    if (page.statusCode !== 200) throw new Error(page.body)
    const { data } = page.json<{ data: { items: Item[]; next_cursor: string | null } }>()
    items.push(...data.items)
    cursor = data.next_cursor
    if (cursor === null) return { items, pages }
    await betweenPages()
  }
}
