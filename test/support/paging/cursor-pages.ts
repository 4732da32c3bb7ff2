import { z } from 'zod'
import { nextLook } from '../next-look.js'
import type { StartedService } from '../service-process.js'

/** What a reply to a read has in it; `position` is that of the last fact it knows. */
export interface ReadReply {
  readonly body: unknown
  readonly position: number
}

export interface ListQuery {
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** The first page knows all facts up to here. */
  readonly position: number
}

/** Reads until there is an answer: a busy machine may be behind for longer than a read waits. */
export async function read(
  service: StartedService,
  { path, query, position }: ListQuery,
): Promise<ReadReply> {
  const url = `${service.origin}${path}?${String(new URLSearchParams(query))}`
  const headers = { authorization: `Bearer ${service.key}`, position: String(position) }
  for (;;) {
    const reply = await fetch(url, { headers })
    const body: unknown = await reply.json()
    if (reply.status === 200) return { body, position: Number(reply.headers.get('position')) }
    if (reply.status !== 503) throw new Error(`${url}: ${JSON.stringify(body)}`)
    await nextLook()
  }
}

/** The pages of a list, from its beginning to its end, each when the one before was taken. */
export async function* cursorPages<T>(
  service: StartedService,
  list: ListQuery,
  item: z.ZodType<T>,
): AsyncGenerator<readonly T[]> {
  const page = z.object({
    data: z.object({ items: z.array(item), next_cursor: z.string().nullable() }),
  })
  let cursor: string | null | undefined
  while (cursor !== null) {
    const query = { ...list.query, ...(cursor !== undefined && { cursor }) }
    const { data } = page.parse((await read(service, { ...list, query })).body)
    yield data.items
    cursor = data.next_cursor
  }
}

/** The pages of the feed from the beginning of the log, until one of them is at its head. */
export async function* feedPages<T>(
  service: StartedService,
  list: ListQuery,
  item: z.ZodType<T>,
): AsyncGenerator<readonly T[]> {
  const page = z.object({
    data: z.object({ items: z.array(item), next_after: z.string(), at_head: z.boolean() }),
  })
  for (let [after, isAtHead] = ['start', false]; !isAtHead;) {
    const query = { ...list.query, after }
    const { data } = page.parse((await read(service, { ...list, query })).body)
    yield data.items
    after = data.next_after
    isAtHead = data.at_head
  }
}
