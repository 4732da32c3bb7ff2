import type { Clock } from '../ports/clock-and-ids.js'
import { commonFacts, factsIn, notedPages, type Section } from './log-section.js'
import { type FactDigest, portionsOf } from './fact-runs.js'
import {
  type CopyProgress,
  beginAgain,
  CopyRefused,
  type ErasedPersons,
  type FactSource,
  type FactTarget,
} from './ports/fact-copy.js'

/** What both sides hold at the end. It is a copy when there are no differences. */
export interface CopyAccount {
  readonly facts: number
  /** Bytes of data and metadata, UTF-8. */
  readonly bytes: number
  readonly copied: number
  readonly alreadyThere: number
  /** Streams that were removed from the source: nothing of them is copied. */
  readonly removed: number
  readonly milliseconds: number
  /** A digest of all facts in their order: the same for equal facts in whatever store. */
  readonly digest: string
  /** What became of erased persons, for people. */
  readonly erased: readonly string[]
  readonly differences: readonly string[]
}

/**
 * Copies every fact that the target does not hold yet, in the order of the source's log, and reads back
 * what it copied. It can be ended at any moment and run again. Throws `CopyRefused`, before anything is
 * written, when what the target holds is not what the source begins with, it does not take a fact as it is, or
 * it could not remove the facts of erased persons that are still to be removed; and what both ports throw.
 */
export function copyFactsUseCase(
  source: FactSource,
  target: FactTarget,
  progress: CopyProgress,
  clock: Clock,
) {
  return async (): Promise<CopyAccount> => {
    const begun = clock.now().getTime()
    const [from, into] = [await wholeOf(source), await wholeOf(target)]
    if (into.removed.size > 0) throw removedFrom(into.removed)
    const persons = await source.erased()
    const takesErased = target.takesErased(source)
    if (!takesErased && persons.unfinished > 0) throw notRemoved(persons)

    const { read, sourceAt, targetAt } = await commonFacts(from, into, progress)
    const [sent, found] = [read.copy(), read.copy()]
    const rest = { ...from, after: sourceAt }
    await assertTaken(rest, target, progress)
    await append(rest, target, progress, sent)
    await readBack({ ...into, after: targetAt, until: await endOf(target) }, progress, found)
    if (takesErased) await target.takeErased(source)
    const differences = [...(await changes(from)), ...differencesOf(sent, found)]
    progress.end()
    return {
      facts: sent.facts,
      bytes: sent.bytes,
      copied: sent.facts - read.facts,
      alreadyThere: read.facts,
      removed: from.removed.size,
      milliseconds: clock.now().getTime() - begun,
      digest: sent.sha256,
      erased: takesErased ? [] : released(persons, from.removed.size),
      differences,
    }
  }
}

async function wholeOf(store: FactSource): Promise<Section> {
  return { store, removed: await store.removed(), after: 0, until: await endOf(store) }
}

async function endOf({ log }: FactSource): Promise<number> {
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

async function changes({ store, removed, until }: Section): Promise<readonly string[]> {
  const problems: string[] = []
  const later = factsIn({ store, removed, after: until, until: await endOf(store) })
  if ((await later.next()).done !== true) {
    problems.push('the source took facts during the copy: stop its service and run again')
  }
  await later.return()
  const gone = [...(await store.removed())].filter((stream) => !removed.has(stream))
  if (gone.length > 0) {
    problems.push(`${nameOf(gone)} was removed from the source during the copy: ${beginAgain}`)
  }
  return problems
}

function differencesOf(sent: FactDigest, found: FactDigest): readonly string[] {
  if (sent.sha256 === found.sha256) return []
  const counts = `facts: ${String(sent.facts)} in the source, ${String(found.facts)} in the target`
  return [
    `the target does not hold what was copied to it (${counts}): see that nothing else writes to it; ` +
      'another run names the first fact that differs',
  ]
}

function nameOf(streams: Iterable<string>): string {
  const [first = ''] = streams
  return `stream ${JSON.stringify(first)}`
}

function notRemoved({ unfinished }: ErasedPersons): CopyRefused {
  return new CopyRefused(
    `the source has facts of ${counted(unfinished, 'erased person')} that are still to be removed, and the ` +
      'target would keep them: start the service on the source until dossier_erasures_open is 0',
  )
}

function released({ suppressed }: ErasedPersons, removed: number): readonly string[] {
  const names = suppressed + removed
  if (names === 0) return []
  return [
    `${counted(names, 'id')} of the source, erased and suppressed or with a stream that was removed, can be ` +
      'created again in the target',
  ]
}

function counted(count: number, what: string): string {
  return `${String(count)} ${what}${count === 1 ? '' : 's'}`
}

function removedFrom(streams: ReadonlySet<string>): CopyRefused {
  return new CopyRefused(`${nameOf(streams)} was removed from the target: ${beginAgain}`)
}
