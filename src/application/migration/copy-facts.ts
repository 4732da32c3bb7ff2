import { digestOf, DigestOfAll, RunningDigest, type StreamDigest } from './fact-digest.js'
import { appendsOf } from './fact-runs.js'
import type { Clock } from '../ports/clock.js'
import type { CopyProgress } from './ports/copy-progress.js'
import { CopyRefused } from './ports/copy-refused.js'
import type { StoredFact } from '../facts/stored-fact.js'
import type { FactSource } from './ports/fact-source.js'
import type { FactTarget } from './ports/fact-target.js'
import { forEachConcurrently } from './for-each-concurrently.js'

/** What both sides hold at the end. It is a copy when `differences` is 0. */
export interface CopyAccount {
  readonly streams: number
  readonly facts: number
  /** Of data and metadata, UTF-8. */
  readonly bytes: number
  /** Facts that this run appended. */
  readonly copied: number
  /** Facts that the target held before. */
  readonly alreadyThere: number
  /** Streams that were removed from the source: nothing of them is copied. */
  readonly removed: number
  readonly milliseconds: number
  /** Of all streams of the source: the same for equal facts in whatever store. */
  readonly digest: string
  readonly differences: number
  /** The first of them, for people. */
  readonly firstDifferences: readonly string[]
}

/**
 * Copies every fact that the target does not hold yet, each stream in its order. A stream that is
 * done is read back and compared; at the end both sides are counted. It can be ended at any moment and run again. Throws `CopyRefused`, before anything
 * is written, when the target holds facts that the source does not begin with; and what both ports
 * throw.
 */
export type CopyFactsUseCase = () => Promise<CopyAccount>

/** Streams under way at the same time. */
const maxStreams = 32
const maxTold = 20

export function copyFactsUseCase(
  source: FactSource,
  target: FactTarget,
  progress: CopyProgress,
  clock: Clock,
): CopyFactsUseCase {
  return async () => {
    const begun = clock.now().getTime()
    const before = await source.survey()
    const alreadyThere = await look(source, target, progress)
    progress.begin('copying', before.facts)
    const copy = new StreamCopy(source, target, progress, alreadyThere === 0)
    await forEachConcurrently(source.streams(), maxStreams, (stream) => copy.copy(stream))
    const [after, there] = await Promise.all([source.survey(), target.survey()])
    copy.comparison.conclude({ moved: after.head !== before.head, source: after, target: there })
    progress.end()
    const milliseconds = clock.now().getTime() - begun
    return { ...copy.comparison.account(), copied: copy.copied, alreadyThere, milliseconds }
  }
}

/** Copies one stream after the other, and compares each with its source. */
class StreamCopy {
  readonly comparison = new Comparison()
  /** Facts that were appended. */
  copied = 0

  constructor(
    private readonly source: FactSource,
    private readonly target: FactTarget,
    private readonly progress: CopyProgress,
    private readonly targetIsEmpty: boolean,
  ) {}

  async copy(stream: string): Promise<void> {
    const place = this.targetIsEmpty ? 0 : await this.target.length(stream)
    const digest = new RunningDigest()
    const pages = noted(this.source.facts(stream, 0), (facts) => {
      digest.add(facts)
      this.progress.done(facts.length)
    })
    const appended = await append(this.target, stream, place, pages)
    this.copied += appended
    const found = await digestOf(this.target.facts(stream, 0))
    this.comparison.add(stream, digest.result(), found)
  }
}

/** How many facts the target holds; all of them must be what the source begins with. */
async function look(
  source: FactSource,
  target: FactTarget,
  progress: CopyProgress,
): Promise<number> {
  const { facts } = await target.survey()
  if (facts === 0) return 0
  progress.begin('looking', facts)
  let found = 0
  await forEachConcurrently(target.streams(), maxStreams, async (stream) => {
    const same = await factsInCommon(source, target, stream)
    found += same
    progress.done(same)
  })
  return found
}

async function factsInCommon(
  source: FactSource,
  target: FactTarget,
  stream: string,
): Promise<number> {
  const theirs = each(source.facts(stream, 0))
  let same = 0
  for await (const ours of each(target.facts(stream, 0))) {
    const next = await theirs.next()
    if (next.done === true || !isSame(next.value, ours)) throw otherFacts(stream, same)
    same += 1
  }
  await theirs.return(undefined)
  if (same === 0) throw otherFacts(stream, 0)
  return same
}

async function* each(
  pages: AsyncIterable<readonly StoredFact[]>,
): AsyncGenerator<StoredFact, undefined> {
  for await (const page of pages) yield* page
  return undefined
}

function isSame(left: StoredFact, right: StoredFact): boolean {
  return (
    left.id === right.id &&
    left.type === right.type &&
    left.data === right.data &&
    left.metadata === right.metadata
  )
}

function otherFacts(stream: string, place: number): CopyRefused {
  return new CopyRefused(
    `the target holds other facts: its stream ${JSON.stringify(stream)} differs from the source at ` +
      `fact ${String(place + 1)}. Copy to a store that is empty or holds an earlier state of the ` +
      'source. Nothing was changed.',
  )
}

/** How many facts were appended: those from `place` on. */
async function append(
  target: FactTarget,
  stream: string,
  place: number,
  pages: AsyncIterable<readonly StoredFact[]>,
): Promise<number> {
  let next = place
  for await (const runs of appendsOf(without(place, pages))) {
    await target.append(stream, next, runs)
    next += runs.reduce((sum, { facts }) => sum + facts.length, 0)
  }
  return next - place
}

async function* noted(
  pages: AsyncIterable<readonly StoredFact[]>,
  note: (facts: readonly StoredFact[]) => void,
): AsyncIterable<readonly StoredFact[]> {
  for await (const page of pages) {
    note(page)
    yield page
  }
}

async function* without(
  first: number,
  pages: AsyncIterable<readonly StoredFact[]>,
): AsyncIterable<readonly StoredFact[]> {
  let passed = 0
  for await (const page of pages) {
    yield page.slice(Math.max(0, first - passed))
    passed += page.length
  }
}

interface Conclusion {
  readonly moved: boolean
  readonly source: { readonly facts: number }
  readonly target: { readonly facts: number }
}

class Comparison {
  private streams = 0
  private facts = 0
  private bytes = 0
  private removed = 0
  private differences = 0
  private readonly told: string[] = []
  private readonly digest = new DigestOfAll()

  add(stream: string, source: StreamDigest, target: StreamDigest): void {
    if (source.facts === 0) this.removed += 1
    else {
      this.streams += 1
      this.facts += source.facts
      this.bytes += source.bytes
      this.digest.add(stream, source)
    }
    if (source.sha256 === target.sha256) return
    const counts = `${String(source.facts)} in the source, ${String(target.facts)} in the target`
    this.tell(`stream ${JSON.stringify(stream)} differs (facts: ${counts})`)
  }

  conclude({ moved, source, target }: Conclusion): void {
    if (moved) this.tell('the source took facts during the copy: stop its service and run again')
    if (source.facts !== this.facts) {
      this.tell(`the source holds ${String(source.facts)} facts, ${this.compared()}`)
    }
    if (target.facts !== this.facts) {
      this.tell(`the target holds ${String(target.facts)} facts, ${this.compared()}`)
    }
  }

  account() {
    const { streams, facts, bytes, removed, differences, told } = this
    const digest = this.digest.toString()
    return { streams, facts, bytes, removed, differences, firstDifferences: told, digest }
  }

  private compared(): string {
    return `its streams that were compared hold ${String(this.facts)}`
  }

  private tell(difference: string): void {
    this.differences += 1
    if (this.told.length < maxTold) this.told.push(difference)
  }
}
