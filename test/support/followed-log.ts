import type { FactLog, LoggedFact, LogPage } from '../../src/application/facts/ports/fact-log.js'
import { isRefused } from '../../src/application/ports/refusal.js'
import { nextLook } from './next-look.js'

/** The facts that were read from a log so far. */
export interface Taken {
  readonly facts: readonly LoggedFact[]
  readonly reached: number
}

/** The number of breaks in a row without a page, above which the log is considered broken. */
const maxBreaksInVain = 5

/** Follows a log until the condition holds, then stops. Rejects as `pagesAfter` does. */
export async function takeUntil(
  log: FactLog,
  after: number,
  isSo: (taken: Taken) => boolean,
): Promise<Taken> {
  const facts: LoggedFact[] = []
  let taken: Taken = { facts, reached: after }
  if (isSo(taken)) return taken
  for await (const page of pagesAfter(log, after)) {
    facts.push(...page.facts.map(withoutStart))
    taken = { facts, reached: page.reached }
    if (isSo(taken)) break
  }
  return taken
}

/**
 * Yields the pages of a log, and follows it again after each break. Rejects when the log ends for another reason,
 * and when a page violates the port's contract.
 */
async function* pagesAfter(log: FactLog, after: number): AsyncGenerator<LogPage, never> {
  let reached = after
  let inVain = 0
  for (;;) {
    try {
      for await (const page of log.follow(reached, new AbortController().signal)) {
        assertInOrder(page, reached)
        reached = page.reached
        inVain = 0
        yield page
      }
    } catch (error) {
      inVain += 1
      if (!isRefused(error, 'store_unavailable') || inVain > maxBreaksInVain) throw error
      await nextLook()
      continue
    }
    throw new Error('the log ended, though nobody stopped it')
  }
}

/** Returns the fact without `streamStart`, which only some stores provide. */
export function withoutStart({ streamStart: _, ...fact }: LoggedFact): LoggedFact {
  return fact
}

/** Returns all facts after a position, up to the current end of the log. */
export async function factsAfter(log: FactLog, after: number): Promise<readonly LoggedFact[]> {
  const { newest } = await log.head()
  return (await takeUntil(log, after, ({ reached }) => reached >= newest)).facts
}

/** Throws unless the facts of the page are in order, after `before`, and not after the page's own position. */
export function assertInOrder({ facts, reached }: LogPage, before: number): void {
  let last = before
  for (const { position } of facts) {
    if (position <= last) throw outOfOrder(`a fact at ${String(position)} after ${String(last)}`)
    last = position
  }
  if (reached < last) throw outOfOrder(`reached ${String(reached)} after ${String(last)}`)
  if (reached === before) throw outOfOrder(`nothing new after ${String(before)}`)
}

function outOfOrder(what: string): Error {
  return new Error(`a page breaks its promise: ${what}`)
}
