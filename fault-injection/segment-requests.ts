import { z } from 'zod'
import { runKey } from './requests.js'
import type { RunSegment } from './segment-rules.js'

const pageLimit = 1_000

const members = z.object({
  data: z.object({
    items: z.array(z.object({ external_id: z.string(), entity_id: z.string() })),
    version: z.number(),
    members: z.number(),
    digest: z.string(),
    next_cursor: z.string().nullable(),
  }),
})
const list = z.object({
  data: z.object({ items: z.array(z.object({ key: z.string(), status: z.string() })) }),
})
const fault = z.object({ error: z.object({ code: z.string() }) })

export type Members = z.infer<typeof members>['data']

/** An answer, or the code of its refusal. */
export type Read<T> =
  | {
      readonly data: T
      readonly position: bigint
      /** The log time in the reply, in RFC 3339. */
      readonly logTime: string
    }
  | { readonly refused: string }

/** Defines a segment. Throws when the service refuses. */
export async function defineSegment(port: number, { key, rule }: RunSegment): Promise<void> {
  const response = await ask(port, `/segments/${key}`, {
    method: 'PUT',
    // Does not wait for the segment, because later reads wait for their Position.
    headers: { 'content-type': 'application/json', prefer: 'wait=0' },
    body: JSON.stringify({ title: `Of a run: ${key}`, kind: 'rule', rule }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${key} is not defined: ${String(response.status)} ${text}`)
}

/** Returns a page of members, at `position` or later. Throws when no reply arrives. */
export function readMembers(
  port: number,
  key: string,
  position: bigint,
  cursor?: string,
): Promise<Read<Members>> {
  const next = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`
  const path = `/segments/${key}/members?limit=${String(pageLimit)}${next}`
  return read(port, path, position, members)
}

/** Returns the status of each segment by its key. Throws when no reply arrives. */
export async function readStatuses(
  port: number,
  position: bigint,
): Promise<ReadonlyMap<string, string> | undefined> {
  const found = await read(port, '/segments', position, list)
  if ('refused' in found) return undefined
  return new Map(found.data.items.map(({ key, status }) => [key, status]))
}

async function read<T>(
  port: number,
  path: string,
  position: bigint,
  form: z.ZodType<{ readonly data: T }>,
): Promise<Read<T>> {
  const response = await ask(port, path, { headers: { position: String(position) } })
  const body: unknown = await response.json()
  const { success, data: found } = form.safeParse(body)
  if (response.status === 200 && success) {
    const { headers } = response
    const logTime = headers.get('log-time') ?? ''
    return { data: found.data, position: BigInt(headers.get('position') ?? -1), logTime }
  }
  const code = fault.safeParse(body).data?.error.code ?? 'nonsense'
  return { refused: `${String(response.status)} ${code}` }
}

interface Asked {
  readonly method?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

function ask(port: number, path: string, { headers, ...asked }: Asked): Promise<Response> {
  return fetch(`http://127.0.0.1:${String(port)}${path}`, {
    ...asked,
    headers: { ...headers, authorization: `Bearer ${runKey}` },
  })
}
