import {
  keyFormat,
  maxAppendBytes,
  maxMetadataBytes,
  sizeOf,
  type StoredFact,
} from '../facts/stored-fact.js'
import { carriesKey } from '../facts/metadata-text.js'
import { isExactStream } from '../facts/our-streams.js'
import { maxExactFacts, noRevision, type ExactAppend } from '../ports/exact-appends.js'
import { Refusal } from '../ports/refusal.js'
import type { Append } from './ports/event-store.js'

/**
 * Checks an append. Every store calls this function before it uses its disk or network. Throws
 * `append_too_large` for a large append. Throws `TypeError` for an append that is a bug of the
 * caller.
 */
export function assertAppendable({ stream, expected, facts, key }: Append): void {
  assertName(stream)
  if (expected === 'stored' && key === undefined) {
    throw new TypeError('an append that expects `stored` needs a key')
  }
  if (expected === 'first' && key !== undefined) {
    throw new TypeError('an append that expects `first` takes no key')
  }
  if (isExactStream(stream))
    throw new TypeError(`${stream} accepts only appends at an expected revision`)
  if (key !== undefined && !keyFormat.test(key)) {
    throw new TypeError('a key is a SHA-256 in 64 lower-case hex digits')
  }
  if (expected !== 'stored') assertNotEmpty(facts)
  assertFacts(facts, key)
}

export function assertAppendableAt({ stream, revision, facts }: ExactAppend): void {
  assertExactStream(stream)
  if (!Number.isSafeInteger(revision) || revision < noRevision) {
    throw new TypeError('a revision is a whole number from -1, which means a stream without facts')
  }
  if (facts.length > maxExactFacts) {
    throw new TypeError(`an append at a revision holds at most ${String(maxExactFacts)} facts`)
  }
  assertNotEmpty(facts)
  assertFacts(facts, undefined)
}

/** Checks a request to read a stream from a revision. Throws `TypeError` if the request is a bug of the caller. */
export function assertReadableFrom(stream: string, revision: number): void {
  assertExactStream(stream)
  if (!Number.isSafeInteger(revision) || revision < 0) {
    throw new TypeError('a stream is read from revision 0 or later')
  }
}

function assertExactStream(stream: string): void {
  assertName(stream)
  if (!isExactStream(stream))
    throw new TypeError(`${stream} is not a stream for appends at an expected revision`)
}

function assertName(stream: string): void {
  if (stream === '' || stream.includes('\0') || !stream.isWellFormed()) {
    throw new TypeError('a stream name is non-empty well-formed text without NUL')
  }
}

function assertNotEmpty(facts: readonly StoredFact[]): void {
  if (facts.length === 0) throw new TypeError('an append needs at least one fact')
}

function assertFacts(facts: readonly StoredFact[], key: string | undefined): void {
  if (!facts.every(({ metadata }) => carriesKey(metadata, key))) {
    throw new TypeError("the metadata of each fact must carry exactly the append's key")
  }
  let size = 0
  let metadata = 0
  for (const fact of facts) {
    if ([fact.id, fact.type, fact.data, fact.metadata].some((text) => text.includes('\0'))) {
      throw new TypeError('the texts of a fact must not contain NUL')
    }
    size += sizeOf(fact)
    metadata += Buffer.byteLength(fact.metadata)
  }
  if (size > maxAppendBytes) {
    throw tooLarge(`${String(maxAppendBytes)} bytes of types, data and metadata`)
  }
  if (metadata > maxMetadataBytes) throw tooLarge(`${String(maxMetadataBytes)} bytes of metadata`)
}

function tooLarge(most: string): Refusal {
  return new Refusal('append_too_large', `an append holds at most ${most}`)
}
