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

/** Operations on one stream at expected revisions, all under one deadline. */
export interface ExactAccess {
  /** Appends the facts at the expected revision. Never throws. */
  append(expected: bigint | 'no_stream', facts: ExactAppend['facts']): Promise<Answer>
  /**
   * Reads the stream's facts or its metadata. Returns undefined when the stream is missing. Throws errors of the
   * client.
   */
  read(what: 'facts' | 'metadata', range: ReadRange): Promise<readonly RecordedFact[] | undefined>
}

/** The maximum number of facts in one page of a stream. */
const pageSize = 256

/** The metadata field that truncates the beginning of a stream. */
const limits = z.object({ $tb: z.number().default(0) })

/**
 * Makes one attempt to append at an expected revision. NO_STREAM would start a deleted stream again, and the revisions
 * would continue after the deleted ones. So the first append to a stream reads the stream's metadata first. If the
 * stream is deleted between that read and the append, the revision in the answer reveals it.
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

/** Returns the next page of facts, starting at revision `from`. */
export async function readStream(
  from: number,
  access: ExactAccess,
): Promise<readonly StreamFact[]> {
  const found = await readable(() =>
    access.read('facts', { from: BigInt(from), maxCount: pageSize }),
  )
  if (found === undefined || (found.length === 0 && from === 0)) await assertWhole(access)
  const facts = (found ?? []).map(streamFact)
  if (facts.some(({ revision }, index) => revision !== from + index)) throw removed()
  return facts
}

/** Returns the last fact of the stream. */
export async function readLast(access: ExactAccess): Promise<StreamFact | undefined> {
  const [last] = (await readable(() => access.read('facts', { from: 'end', maxCount: 1 }))) ?? []
  if (last === undefined) await assertWhole(access)
  return last && streamFact(last)
}

function streamFact({ fact, revision, position }: RecordedFact): StreamFact {
  return { ...fact, revision: Number(revision), position: Number(position) }
}

/** Rejects with `stream_removed` when the stream was soft-deleted, tombstoned or truncated. */
async function assertWhole(access: ExactAccess): Promise<void> {
  const [latest] =
    (await readable(() => access.read('metadata', { from: 'end', maxCount: 1 }))) ?? []
  if (truncatedBefore(latest) > 0) throw removed()
}

/**
 * Returns the first readable revision according to a stream's latest metadata, or 0 when the
 * metadata sets no limit. A soft-delete sets a limit above all revisions.
 */
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
  return new Refusal('stream_removed', 'the stream was deleted, or its beginning was truncated')
}
