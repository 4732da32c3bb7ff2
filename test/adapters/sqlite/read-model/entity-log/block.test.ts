import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import {
  BlockWriter,
  entriesIn,
  entriesOfBlock,
  type Entry,
} from '../../../../../src/adapters/sqlite/read-model/entity-log/block.js'
import { eventKind } from '../../../../../src/adapters/sqlite/read-model/fact-kinds.js'
import { quickOrThorough } from '../../../../support/thoroughness.js'

const numRuns = quickOrThorough({ quick: 30, thorough: 5_000 })

const year0 = Date.parse('0000-01-01T00:00:00.000Z')
const year9999 = Date.parse('9999-12-31T23:59:59.999Z')
const year1900 = Date.parse('1900-01-01T00:00:00.000Z')
const today = Date.parse('2026-01-01T00:00:00.000Z')

const instants = fc.oneof(
  fc.integer({ min: today, max: today + 100_000 }),
  fc.integer({ min: year1900, max: 0 }),
  fc.integer({ min: year0, max: year9999 }),
)
const gaps = fc.oneof(
  fc.integer({ min: 1, max: 300 }),
  fc.constantFrom(2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 40, 2 ** 46),
)
const kinds = fc.oneof(
  fc.constantFrom(0, 1, 2),
  fc.nat({ max: 20 }).map((n) => eventKind(`name ${String(n)}`)),
  fc.constantFrom(3, 2 ** 31 + 2),
)

const entries: fc.Arbitrary<readonly Entry[]> = fc
  .array(
    fc.record({
      gap: gaps,
      kind: kinds,
      logTime: instants,
      recorded: fc.option(instants),
      at: fc.option(instants),
      isStraggler: fc.boolean(),
    }),
    { maxLength: entriesOfBlock },
  )
  .map((given) => {
    let position = 0
    return given.map(({ gap, kind, logTime, recorded, at, isStraggler }) => {
      position += gap
      const lagMs = logTime - (recorded ?? logTime)
      return { position, kind, logTime, lagMs, at: at ?? logTime - lagMs, isStraggler }
    })
  })

function blockOf(some: readonly Entry[], before: Uint8Array = new Uint8Array(0)) {
  const writer = new BlockWriter()
  writer.begin(before)
  for (const entry of some) writer.add(entry, entry.isStraggler)
  return writer.written()
}

it('A block returns the entries that were written, in any order of their instants.', () => {
  fc.assert(
    fc.property(entries, (given) => {
      expect(entriesIn(blockOf(given))).toEqual(given)
    }),
    { numRuns },
  )
})

it('A block that is continued equals a block that is written at once.', () => {
  fc.assert(
    fc.property(entries, fc.nat(entriesOfBlock), (given, at) => {
      const first = blockOf(given.slice(0, at))
      expect(blockOf(given.slice(at), first)).toEqual(blockOf(given))
    }),
    { numRuns },
  )
})

it('A block can contain the largest position that a number can represent.', () => {
  const position = Number.MAX_SAFE_INTEGER
  const entry = { position, kind: 3, logTime: 0, lagMs: 0, at: 0, isStraggler: false }
  const before = { ...entry, position: 2 ** 52 }
  expect(entriesIn(blockOf([before, entry]))).toEqual([before, entry])
})

it('An event that was recorded when it occurred takes a few bytes.', () => {
  const some = Array.from({ length: entriesOfBlock }, (_, n) => {
    const logTime = today + n * 60_000
    return {
      position: 1_000 * n + 1,
      kind: 77,
      logTime,
      lagMs: 0,
      at: logTime,
      isStraggler: false,
    }
  })
  expect(blockOf(some).length).toBeLessThan(entriesOfBlock * 7)
})

it('A block that is cut inside an entry is detected as damaged.', () => {
  const entry = { position: 9, kind: 77, logTime: today, lagMs: 5, at: 0, isStraggler: true }
  const block = blockOf([entry])
  for (let length = 1; length < block.length; length += 1) {
    expect(() => entriesIn(block.slice(0, length))).toThrow('damaged')
  }
})
