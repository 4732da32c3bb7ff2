import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { readAnswer, showAnswer, type Print, type ReadSource } from './read-answers.js'
import { GaveUp } from './send-with-retries.js'
import { shopSegments, type ShopSegment } from './shop-segments.js'

const segmentReply = z.object({
  data: z.object({ status: z.string(), members: z.number().nullable() }),
})
const membersReply = z.object({
  data: z.object({ items: z.array(z.object({ external_id: z.string() })) }),
})

/** How often a segment that is being built is asked for again, a quarter of a second apart. */
const maxLooks = 240

/**
 * Defines the segments of a shop, prints how many members each has once it is live, and why the first
 * of them is in. Throws `GaveUp`, and the reason of `stop`.
 */
export async function showSegments(
  source: ReadSource,
  lastOrder: string,
  print: Print,
  stop: AbortSignal,
): Promise<void> {
  const segments = shopSegments(lastOrder)
  let { position } = source
  for (const segment of segments) {
    const defined = await define(source, segment, stop)
    if (defined !== undefined && BigInt(defined) > BigInt(position)) position = defined
  }
  const after = { ...source, position }
  print(`\nSegments, as of the evening of ${lastOrder.slice(0, 'yyyy-mm-dd'.length)}:\n\n`)
  const sizes = new Map<string, number>()
  for (const { key, title } of segments) {
    const size = await sizeOf(after, key, stop)
    sizes.set(key, size)
    print(`${String(size).padStart(6)}  ${key.padEnd('new-this-month'.length)}  ${title}\n`)
  }
  const inhabited = segments.find(({ key }) => (sizes.get(key) ?? 0) > 0)
  if (inhabited !== undefined) await showWhy(after, inhabited.key, print, stop)
}

async function showWhy(
  source: ReadSource,
  key: string,
  print: Print,
  stop: AbortSignal,
): Promise<void> {
  const path = `/segments/${key}/members?limit=1`
  const [first] = membersReply.parse(await readAnswer(source, path, stop)).data.items
  if (first === undefined) return
  print(`\nWhy customer ${first.external_id} is in ${key}:\n`)
  await showAnswer(
    source,
    `/entities/${encodeURIComponent(first.external_id)}/segments/${key}`,
    print,
    stop,
  )
}

/** The position of the definition; undefined when nothing had to be stored. */
async function define(
  { origin, key: apiKey }: ReadSource,
  { key, ...body }: ShopSegment,
  stop: AbortSignal,
): Promise<string | undefined> {
  const reply = await fetch(`${origin}/segments/${key}`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    signal: stop,
  })
  if (reply.ok) return reply.headers.get('position') ?? undefined
  throw new GaveUp(`The service did not take the segment ${key} (${String(reply.status)}).`)
}

/** The number of members, once the newest version is live. */
async function sizeOf(source: ReadSource, key: string, stop: AbortSignal): Promise<number> {
  for (let look = 0; look < maxLooks; look += 1) {
    const { data } = segmentReply.parse(await readAnswer(source, `/segments/${key}`, stop))
    if (data.status === 'live' && data.members !== null) return data.members
    await pause(250, undefined, { signal: stop })
  }
  throw new GaveUp(`The segment ${key} was not built in time.`)
}
