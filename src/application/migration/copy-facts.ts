import type { FactLog } from '../facts/ports/fact-log.js'
import type { Clock } from '../ports/clock-and-ids.js'
import { commonFacts, notedPages, type Section } from './log-section.js'
import { type FactDigest, portionsOf } from './fact-runs.js'
import {
  type CopyProgress,
  CopyRefused,
  type ErasedCounts,
  type FactSource,
  type FactTarget,
} from './ports/fact-copy.js'

/** The result of a copy. The copy is correct when `differences` is empty. */
export interface CopyAccount {
  readonly facts: number
  /** The size of data and metadata, in bytes of UTF-8. */
  readonly bytes: number
  readonly copied: number
  readonly alreadyThere: number
  readonly milliseconds: number
  /** A digest of all facts in log order. Stores with equal facts have equal digests. */
  readonly digest: string
  /**
   * Messages for people about the erased ids whose reuse is blocked in the source and permitted in
   * the target.
   */
  readonly erased: readonly string[]
  readonly differences: readonly string[]
}

/**
 * Copies all facts that the target lacks, in the order of the source's fact log. Then reads the
 * copied facts back and compares them. Call it again to continue an interrupted copy.
 *
 * Throws the errors of both ports. Throws `CopyRefused` before it writes anything when the target:
 * - has lost facts, or its facts are not the first facts of the source;
 * - does not accept a fact unchanged;
 * - cannot remove facts of erased entities, and the source still has to remove such facts.
 */
export function copyFactsUseCase(
  source: FactSource,
  target: FactTarget,
  progress: CopyProgress,
  clock: Clock,
) {
  return async (): Promise<CopyAccount> => {
    const begun = clock.now().getTime()
    const [from, into] = [await wholeOf(source.log), await wholeOf(target.log)]
    await target.assertWhole?.()
    const counted = await source.erased()
    const takesErased = target.takeErased !== undefined
    if (!takesErased && counted.unfinished > 0) throw notRemoved(counted)

    const { read, sourceAt, targetAt } = await commonFacts(from, into, progress)
    const [sent, found] = [read.copy(), read.copy()]
    const rest = { ...from, after: sourceAt }
    await assertTaken(rest, target, progress)
    await append(rest, target, progress, sent)
    await readBack({ ...into, after: targetAt, until: await endOf(target.log) }, progress, found)
    await target.takeErased?.(source)
    progress.end()
    return {
      facts: sent.facts,
      bytes: sent.bytes,
      copied: sent.facts - read.facts,
      alreadyThere: read.facts,
      milliseconds: clock.now().getTime() - begun,
      digest: sent.sha256,
      erased: takesErased ? [] : released(counted),
      differences: differencesOf(sent, found),
    }
  }
}

async function wholeOf(log: FactLog): Promise<Section> {
  return { log, after: 0, until: await endOf(log) }
}

async function endOf(log: FactLog): Promise<number> {
  return (await log.head()).newest
}

async function assertTaken(section: Section, target: FactTarget, progress: CopyProgress) {
  if (target.assertTakes === undefined) return
  progress.begin('checking')
  for await (const runs of portionsOf(notedPages(section, progress))) await target.assertTakes(runs)
}

async function append(
  section: Section,
  target: FactTarget,
  progress: CopyProgress,
  sent: FactDigest,
): Promise<void> {
  progress.begin('copying')
  const pages = notedPages(section, progress, (facts) => {
    sent.add(facts)
  })
  for await (const runs of portionsOf(pages)) await target.append(runs)
}

async function readBack(section: Section, progress: CopyProgress, found: FactDigest) {
  progress.begin('comparing')
  for await (const facts of notedPages(section, progress)) found.add(facts)
}

function differencesOf(sent: FactDigest, found: FactDigest): readonly string[] {
  if (sent.sha256 === found.sha256) return []
  const counts = `facts: ${String(sent.facts)} in the source, ${String(found.facts)} in the target`
  return [
    `the target does not contain the copied facts (${counts}): check that nothing else writes to it; ` +
      'run the copy again to see the first fact that differs',
  ]
}

function notRemoved({ unfinished }: ErasedCounts): CopyRefused {
  return new CopyRefused(
    `the source has facts of ${countOf(unfinished, 'erased entity', 'erased entities')} that are still to be removed, ` +
      'and the target would keep them: start the service on the source until dossier_erasures_open is 0',
  )
}

function released({ suppressed }: ErasedCounts): readonly string[] {
  if (suppressed === 0) return []
  return [
    `${countOf(suppressed, 'id', 'ids')} of erased entities, blocked in the source, can be created again in the target`,
  ]
}

function countOf(count: number, one: string, several: string): string {
  return `${String(count)} ${count === 1 ? one : several}`
}
