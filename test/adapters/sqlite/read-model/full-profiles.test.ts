import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { SqliteProjections } from '../../../../src/adapters/sqlite/read-model/sqlite-projections.js'
import { toStored } from '../../../../src/application/facts/fact-format.js'
import type { Fact } from '../../../../src/application/facts/fact-table.js'
import { changeProperties, createEntity } from '../../../../src/domain/entity.js'
import type { Decision } from '../../../../src/domain/facts.js'
import type { JsonObject } from '../../../../src/domain/json.js'
import { applyAll } from '../../../support/apply-all.js'
import { temporaryFolders } from '../../../support/temporary-folder.js'

const folder = temporaryFolders()
const now = new Date('2026-11-20T09:30:00.000Z')

let path: string
let projections: SqliteProjections
let position: number
beforeEach(() => {
  path = `${folder()}/read-model.db`
  position = 0
  projections = open()
  apply(createEntity({ factId: 'creation', externalId: 'ada', properties: {}, now }))
  apply(createEntity({ factId: 'other', externalId: 'bob', properties: {}, now }))
  projections.finishBuild()
})
afterEach(() => {
  projections.close()
})

function open(): SqliteProjections {
  const onDropped = (reason: string) => {
    throw new Error(reason)
  }
  const onDiverged = () => undefined
  return SqliteProjections.open({ path, factsFile: undefined, onDropped, onDiverged })
}

function apply({ stream, facts: [fact] }: Decision<Fact>): void {
  position += 1
  const stored = toStored(fact, { requestId: 'request', keyHash: undefined })
  applyAll(projections, [{ ...stored, stream, position }])
}

function change(set: JsonObject, unset: readonly string[] = []): void {
  const factId = `change ${String(position)}`
  apply(changeProperties({ factId, externalId: 'ada', set, unset, now }))
}

const members = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${String(n)}`, n]))

describe('a profile', () => {
  test('is full with more than 2,048 properties, until enough of them are removed', () => {
    change(members(2_048))
    expect(projections.fullProfiles).toEqual([])
    change({ more: 1 })
    expect(projections.fullProfiles).toEqual(['ada'])
    change({}, ['p7'])
    expect(projections.fullProfiles).toEqual([])
  })

  test('is full with more than 1 MiB of text, in bytes', () => {
    const frame = '{"x":""}'.length
    change({ x: 'é'.repeat((1_048_576 - frame) / 2) })
    expect(projections.fullProfiles).toEqual([])
    change({ x: `${'é'.repeat((1_048_576 - frame) / 2)}x` })
    expect(projections.fullProfiles).toEqual(['ada'])
  })

  test('is still full when the file is reopened', () => {
    change(members(2_049))
    projections.close()
    projections = open()
    expect(projections.fullProfiles).toEqual(['ada'])
  })

  test('is listed as full while there are at most 100 full profiles', () => {
    const properties = members(2_049)
    const names = Array.from({ length: 101 }, (_, n) => `full ${String(n)}`)
    const [last = '', ...first] = names.toReversed()
    for (const externalId of first) {
      apply(createEntity({ factId: externalId, externalId, properties, now }))
    }
    expect(projections.fullProfiles).toHaveLength(100)
    expect(new Set(projections.fullProfiles)).toEqual(new Set(first))
    apply(createEntity({ factId: last, externalId: last, properties, now }))
    expect(projections.fullProfiles).toBe('many')
  })
})
