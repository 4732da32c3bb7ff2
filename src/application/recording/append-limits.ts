import { keyFormat, maxDataBytes, maxMetadataBytes } from '../facts/fact-limits.js'
import { carriesKey } from '../facts/metadata.js'
import type { Append } from './ports/event-store.js'
import { AppendTooLarge } from '../ports/store-errors.js'

/**
 * What every store refuses before it touches its disk or its network: an append that is too large
 * (`AppendTooLarge`) and one that no caller of ours may build (`TypeError`).
 */
export function assertAppendable(append: Append): void {
  assertWellBuilt(append)
  let data = 0
  let metadata = 0
  for (const fact of append.facts) {
    data += Buffer.byteLength(fact.data)
    metadata += Buffer.byteLength(fact.metadata)
  }
  if (data > maxDataBytes) {
    throw new AppendTooLarge(`an append holds at most ${String(maxDataBytes)} bytes of data`)
  }
  if (metadata > maxMetadataBytes) {
    throw new AppendTooLarge(
      `an append holds at most ${String(maxMetadataBytes)} bytes of metadata`,
    )
  }
}

function assertWellBuilt({ stream, expected, facts, key }: Append): void {
  if (facts.length === 0) throw new TypeError('an append needs at least one fact')
  if (stream === '' || stream.includes('\0') || !stream.isWellFormed()) {
    throw new TypeError('a stream name is non-empty well-formed text without NUL')
  }
  if (expected === 'stored' && key === undefined) {
    throw new TypeError('what was stored before is found by its key')
  }
  if (key !== undefined && !keyFormat.test(key)) {
    throw new TypeError('a key is a SHA-256 in 64 lower-case hex digits')
  }
  if (!facts.every(({ metadata }) => carriesKey(metadata, key))) {
    throw new TypeError('the metadata of each fact carries the key of its append, and no other')
  }
}
