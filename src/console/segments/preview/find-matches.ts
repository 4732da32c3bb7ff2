import type { Calls } from '../../../client/calls.js'
import type { PreviewResult, Rule } from '../../../client/dossier.js'

/** Some of the people who match a rule. */
export interface MatchPart {
  readonly ids: readonly string[]
  /** The number of people who were evaluated to find these matches. 0 if the service listed the matches. */
  readonly looked: number
}

/** A rule whose matches are wanted, and its preview. */
export interface Previewed {
  readonly rule: Rule
  /** The segment with which the preview compared the rule. */
  readonly against: string | undefined
  readonly result: PreviewResult
}

const pageSize = 1_000
/** The maximum number of ids that one request may evaluate. */
const evaluatedAtOnce = 100

/**
 * Yields all people who match a rule, in parts, so that the caller can stop. If the preview contains all matches,
 * yields them. If the matches are exactly the members of the compared segment, lists these members. Otherwise evaluates
 * the rule for all entities in creation order, because the service does not list the matches of a rule.
 */
export async function* matchesOf(
  client: Calls,
  { rule, against, result }: Previewed,
  signal: AbortSignal,
): AsyncGenerator<MatchPart, void, undefined> {
  const { members, sample, entering, leaving } = result
  if (sample.length === members) yield { ids: sample, looked: 0 }
  else if (against !== undefined && entering.count + leaving.count === 0) {
    yield* membersOf(client, against, signal)
  } else yield* evaluated(client, rule, signal)
}

async function* membersOf(client: Calls, segment: string, signal: AbortSignal) {
  const pages = client.segments.members(segment, { limit: pageSize }, { signal })
  for (let cursor: string | undefined | null = undefined; cursor !== null;) {
    const page: Awaited<ReturnType<typeof pages.page>> = await pages.page(cursor)
    yield { ids: page.items.map(({ external_id: id }) => id), looked: 0 }
    cursor = page.next_cursor
  }
}

async function* evaluated(client: Calls, rule: Rule, signal: AbortSignal) {
  const pages = client.entities.list({ limit: pageSize }, { signal })
  for (let cursor: string | undefined | null = undefined; cursor !== null;) {
    const page: Awaited<ReturnType<typeof pages.page>> = await pages.page(cursor)
    for (let at = 0; at < page.items.length; at += evaluatedAtOnce) {
      const part = page.items.slice(at, at + evaluatedAtOnce).map(({ external_id: id }) => id)
      const { items } = await client.segments.evaluate({ rule, external_ids: part }, { signal })
      const ids = items.filter(({ member }) => member).map(({ external_id: id }) => id)
      yield { ids, looked: part.length }
    }
    cursor = page.next_cursor
  }
}
