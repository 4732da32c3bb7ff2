import { expect, test } from '@jest/globals'
import {
  isExactStream,
  isOurStream,
  streamPrefixes,
} from '../../../src/application/facts/our-streams.js'

const exact = ['segments', 'dossier-clock', 'members-a', 'members-']
const others = ['segments-of-others', 'dossier-clocks', 'dossier-probe', 'Segments', 'members', '']

test.each([...exact, 'entity-a', 'entity-'])('%j is a stream of Dossier', (name) => {
  expect(isOurStream(name)).toBe(true)
  expect(streamPrefixes.some((prefix) => name.startsWith(prefix))).toBe(true)
})

test.each(others)('%j is not a stream of Dossier', (name) => {
  expect(isOurStream(name)).toBe(false)
})

test.each(exact)('%j accepts only appends at an expected revision', (name) => {
  expect(isExactStream(name)).toBe(true)
})

test.each([...others, 'entity-a', 'entity-members-a'])('%j accepts ordinary appends', (name) => {
  expect(isExactStream(name)).toBe(false)
})
