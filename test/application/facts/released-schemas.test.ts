import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'

/** As `sha256sum` writes it. Nothing but a person adds a line, and nobody changes one. */
const released = readFileSync('test/golden/released.sha256', 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => {
    const [digest = '', file = ''] = line.split('  ')
    return [file, digest] as const
  })

describe('a released form does not change: a change is a new schemaVersion', () => {
  test.each(released)('%s', (file, digest) => {
    expect(createHash('sha256').update(readFileSync(file)).digest('hex')).toBe(digest)
  })

  test('every schema and every golden file is released', () => {
    const schemas = readdirSync('docs/facts').filter((name) => name.endsWith('.schema.json'))
    const golden = ['test/golden/facts', 'test/golden/stores'].flatMap((folder) =>
      readdirSync(folder).map((name) => `${folder}/${name}`),
    )
    expect(released.map(([file]) => file).sort()).toEqual(
      [...schemas.map((name) => `docs/facts/${name}`), ...golden].sort(),
    )
  })
})
