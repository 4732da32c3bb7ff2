import { StreamDeletedError } from '@eventstore/db-client'
import { z } from 'zod'
import {
  noRevision,
  type ExactAppend,
  type ExactReceipt,
  type StreamFact,
} from '../../../application/ports/exact-appends.js'
import { Refusal, WrongRevision } from '../../../application/ports/refusal.js'
import { refusalOf, unavailable, type Answer } from '../client/answer.js'
import type { ReadRange, RecordedFact } from './connection.js'

/** The store as a stream of exact revisions needs it, until one deadline. */
export interface ExactAccess {
  /** Never throws. */
  append(expected: bigint | 'no_stream', facts: ExactAppend['facts']): Promise<Answer>
  /** Reads the stream, or its metadata; undefined when there are none. Throws what the client throws. */
  read(what: 'facts' | 'metadata', range: ReadRange): Promise<readonly RecordedFact[] | undefined>
}

/** How many facts a page of a stream has at most. */
const pageSize = 256

/** What a stream's metadata says of facts that are gone from its beginning. */
const limits = z.object({ $tb: z.number().default(0) })

/**
 * One attempt, never sent again. NO_STREAM would begin a deleted stream anew, behind the revisions that it
 * had: so before the first append of a stream its metadata are looked at, and the revision of the receipt
 * shows what happened in between.
 */
export async function appendAt(append: ExactAppend, access: ExactAccess): Promise<ExactReceipt> {
  const { revision, facts } = append
  if (revision === noRevision) await assertWhole(access)
  const answer = await access.append(
    revision === noRevision ? 'no_stream' : BigInt(revision),
    facts,
  )
  if (answer.kind !== 'stored') throw errorOf(answer)
  const last = revision + facts.length
  if (answer.revision === BigInt(last)) return { position: String(answer.position), revision: last }
  throw new Refusal(
    'outcome_unknown',
    `stored up to revision ${String(answer.revision)}: the stream was removed`,
  )
}

/** The next facts from a revision on. */
export async function readStream(
  from: number,
  access: ExactAccess,
): Promise<readonly StreamFact[]> {
  const found = await readable(() =>
    access.read('facts', { from: BigInt(from), maxCount: pageSize }),
  )
  if (found === undefined || (found.length === 0 && from === 0)) await assertWhole(access)
  const facts = (found ?? []).map(({ fact, revision, position }) => ({
    ...fact,
    revision: Number(revision),
    position: Number(position),
  }))
  if (facts.some(({ revision }, index) => revision !== from + index)) throw removed()
  return facts
}

/** Rejects with `stream_removed` when the stream was deleted, removed for good or truncated. */
async function assertWhole(access: ExactAccess): Promise<void> {
  const [latest] =
    (await readable(() => access.read('metadata', { from: 'end', maxCount: 1 }))) ?? []
  if (truncatedBefore(latest) > 0) throw removed()
}

/** The revision that a stream's latest metadata let it begin with, if they say so; beyond all: it is deleted. */
export function truncatedBefore(latest: RecordedFact | undefined): number {
  if (latest === undefined) return 0
  return limits.catch({ $tb: 0 }).parse(JSON.parse(latest.fact.data)).$tb
}

async function readable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw error instanceof StreamDeletedError ? removed() : unavailable(error)
  }
}

function errorOf(answer: Exclude<Answer, { kind: 'stored' }>): Error {
  switch (answer.kind) {
    case 'wrong':
      return new WrongRevision(answer.actual === undefined ? noRevision : Number(answer.actual))
    case 'deleted':
      return removed()
    default:
      return refusalOf(answer)
  }
}

function removed(): Refusal {
  return new Refusal('stream_removed', 'the stream was removed, or has lost its beginning')
}
