import { setTimeout as pause } from 'node:timers/promises'
import type { Segments } from 'dossier/client'
import { GaveUp } from './outcome.js'
import { answered, clientOf, showAnswer, type Print, type ReadSource } from './read-answers.js'
import { shopSegments } from './shop-segments.js'

/** The most checks of a segment that is being built, at intervals of a quarter of a second. */
const maxLooks = 240

/**
 * Defines the segments of a shop. Once each is live, prints its number of members, and why the first of them is a
 * member. Throws `GaveUp`, and the reason of `stop`.
 */
export async function showSegments(
  source: ReadSource,
  print: Print,
  stop: AbortSignal,
): Promise<void> {
  const dossier = clientOf(source)
  const { segments } = dossier
  const options = { signal: stop }
  for (const { key, ...definition } of shopSegments)
    await answered(segments.define(key, definition, options))
  const after = { ...source, position: dossier.position ?? source.position }
  print('\nSegments:\n\n')
  let inhabited: string | undefined
  for (const { key, title } of shopSegments) {
    const size = await sizeOf(segments, key, stop)
    if (size > 0) inhabited = key
    print(`${String(size).padStart(6)}  ${key.padEnd('big-spenders'.length)}  ${title}\n`)
  }
  if (inhabited === undefined) return
  const { items } = await answered(segments.members(inhabited, { limit: 1 }, options).page())
  const [first] = items
  if (first === undefined) return
  const id = first.external_id
  print(`\nWhy customer ${id} is in ${inhabited}:\n`)
  const path = `/entities/${encodeURIComponent(id)}/segments/${inhabited}`
  await showAnswer(after, path, segments.explain(inhabited, id, {}, options), print)
}

/** Returns the number of members once the newest version is live. */
async function sizeOf(segments: Segments, key: string, signal: AbortSignal): Promise<number> {
  for (let look = 0; look < maxLooks; look += 1) {
    const { status, members } = await answered(segments.get(key, { signal }))
    if (status === 'live' && members !== null) return members
    await pause(250, undefined, { signal })
  }
  throw new GaveUp(`The segment ${key} was not built in time.`)
}
