import { setTimeout as pause } from 'node:timers/promises'
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

/** Where a program prints its results. */
export type Print = (text: string) => void

/** How often a read that came too early is sent again, a second apart. */
const maxRepeats = 30

/** Not yet there: this write, or what is built of it. */
const behind = 503

/** Throws `GaveUp`, and the reason of `stop`. */
export async function readAnswer(
  { origin, key, position }: ReadSource,
  path: string,
  stop: AbortSignal,
): Promise<unknown> {
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

/** Prints the command that asks, ready to paste, with its answer. Throws like `readAnswer`. */
export async function showAnswer(
  source: ReadSource,
  path: string,
  print: Print,
  stop: AbortSignal,
): Promise<void> {
  const answer = await readAnswer(source, path, stop)
  print(`\n${curlOf(source, path)}\n${JSON.stringify(answer, undefined, 2)}\n`)
}

/** A question mark means something to a shell. */
function curlOf({ origin, keyFile, position }: ReadSource, path: string): string {
  const key = `-H "Authorization: Bearer $(cat ${shellQuoted(keyFile)})"`
  return `curl -sS ${shellQuoted(origin + path)} ${key} -H 'Position: ${position}'`
}

export function shellQuoted(text: string): string {
  return /^[\w./:%=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
