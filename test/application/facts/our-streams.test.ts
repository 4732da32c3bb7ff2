import { expect, test } from '@jest/globals'
import {
  isExactStream,
  isOurStream,
  streamPrefixes,
} from '../../../src/application/facts/our-streams.js'

const exact = ['segments', 'dossier-clock', 'members-a', 'members-']
const others = ['segments-of-others', 'dossier-clocks', 'dossier-probe', 'Segments', 'members', '']

test.each([...exact, 'entity-a', 'entity-'])('%j is one of our streams', (name) => {
  expect(isOurStream(name)).toBe(true)
  expect(streamPrefixes.some((prefix) => name.startsWith(prefix))).toBe(true)
})

test.each(others)('%j is not one of our streams', (name) => {
  expect(isOurStream(name)).toBe(false)
})

test.each(exact)('%j takes appends at exact revisions only', (name) => {
  expect(isExactStream(name)).toBe(true)
})

test.each([...others, 'entity-a', 'entity-members-a'])('%j takes ordinary appends', (name) => {
  expect(isExactStream(name)).toBe(false)
})
