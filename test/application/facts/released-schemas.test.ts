import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { z } from 'zod'
import { readFact } from '../../../src/application/facts/fact-format.js'
import { factTable } from '../../../src/application/facts/fact-table.js'
import { fromGolden, goldenNames, goldenText } from '../../support/golden-facts.js'

/** The lines of the file, in the form of `sha256sum`. Only people add lines, and no line is ever changed. */
const released = readFileSync('test/golden/released.sha256', 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => {
    const [digest = '', file = ''] = line.split('  ')
    return [file, digest] as const
  })

describe('a released file does not change, because a change is a new schemaVersion', () => {
  test.each(released)('%s', (file, digest) => {
    expect(createHash('sha256').update(readFileSync(file)).digest('hex')).toBe(digest)
  })

  test('every schema and every golden file is listed as released', () => {
    const schemas = readdirSync('docs/facts').filter((name) => name.endsWith('.schema.json'))
    const golden = ['test/golden/facts', 'test/golden/stores'].flatMap((folder) =>
      readdirSync(folder).map((name) => `${folder}/${name}`),
    )
    expect(released.map(([file]) => file).sort()).toEqual(
      [...schemas.map((name) => `docs/facts/${name}`), ...golden].sort(),
    )
  })
})

const versions = Object.values(factTable).flatMap(({ type, schemas }) =>
  schemas.map((schema, at) => [`${type} v${String(at + 1)}`, type, at + 1, schema] as const),
)
const dataForm = z.record(z.string(), z.unknown())
const schemaVersion = z.object({ schemaVersion: z.int() })

/** The golden facts of each type, with their data and their version. */
const goldenFacts = goldenNames()
  .map((name) => fromGolden(goldenText(name)))
  .map((stored) => ({
    stored,
    version: schemaVersion.parse(JSON.parse(stored.metadata)).schemaVersion,
    members: Object.keys(dataForm.parse(JSON.parse(stored.data))),
  }))

describe('the golden files contain every member of every released version', () => {
  test.each(versions)('%s', (_name, type, version, schema) => {
    const ofVersion = goldenFacts.filter(
      (golden) => golden.stored.type === type && golden.version === version,
    )
    const members = new Set(ofVersion.flatMap((golden) => golden.members))
    expect([...members].sort()).toEqual(
      Object.keys(z.instanceof(z.ZodObject).parse(schema).shape).sort(),
    )
  })

  test('each golden file is read as the newest version of its type', () => {
    for (const { stored } of goldenFacts) {
      const read = readFact(stored)
      const newest = factTable[read?.type ?? 'TimePassed']
      expect(newest.schema.safeParse(read?.data)).toMatchObject({ success: true })
    }
  })
})
