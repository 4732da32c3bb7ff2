import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { GaveUp } from './send-with-retries.js'

/** Where to read, and with what. */
export interface ReadSource {
  /** `http://127.0.0.1:3000` */
  readonly origin: string
  readonly key: string
  /** Of the file with the key, as a shell in the project's folder names it. */
  readonly keyFile: string
  /** The highest that a write was answered with: what is read knows it. */
  readonly position: string
}

/** How often a read that came too early is sent again, a second apart. */
const maxRepeats = 30

const firstCustomer = z.object({
  data: z.object({ items: z.array(z.object({ external_id: z.string() })) }),
})
const behind = 503

/**
 * Reads the first customer's profile and latest events, and prints for each the command that asks for
 * it, ready to paste, with its answer. Prints nothing when there is no customer. Throws `GaveUp`, and
 * the reason of `stop`.
 */
export async function showCustomer(
  source: ReadSource,
  print: (text: string) => void,
  stop: AbortSignal,
): Promise<void> {
  const list = firstCustomer.parse(await read(source, '/entities?limit=1', stop))
  const customer = list.data.items[0]?.external_id
  if (customer === undefined) return
  const path = `/entities/${encodeURIComponent(customer)}`
  print(`\nWhat is known of customer ${customer}, the last write included (Position):\n`)
  for (const asked of [path, `${path}/events?limit=2`, `${path}/history`]) {
    const answer = await read(source, asked, stop)
    print(`\n${curlOf(source, asked)}\n${JSON.stringify(answer, undefined, 2)}\n`)
  }
}

async function read(source: ReadSource, path: string, stop: AbortSignal): Promise<unknown> {
  const { origin, key, position } = source
  const headers = { Authorization: `Bearer ${key}`, Position: position }
  for (let repeat = 0; ; repeat += 1) {
    const reply = await fetch(origin + path, { headers, signal: stop })
    if (reply.ok) return reply.json()
    if (reply.status !== behind || repeat === maxRepeats) {
      throw new GaveUp(`The service did not answer a read (${String(reply.status)}).`)
    }
    await pause(1_000, undefined, { signal: stop })
  }
}

/** A question mark means something to a shell. */
function curlOf({ origin, keyFile, position }: ReadSource, path: string): string {
  const key = `-H "Authorization: Bearer $(cat ${shellQuoted(keyFile)})"`
  return `curl -sS ${shellQuoted(origin + path)} ${key} -H 'Position: ${position}'`
}

export function shellQuoted(text: string): string {
  return /^[\w./:%=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
