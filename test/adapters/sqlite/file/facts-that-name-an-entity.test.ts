import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { searchHere } from '../../../../src/adapters/sqlite/file/search-here.js'
import { StreamNames } from '../../../../src/adapters/sqlite/file/stream-names.js'
import { readFact } from '../../../../src/application/facts/fact-format.js'
import {
  externalIdMembers,
  factTable,
  meaningOf,
} from '../../../../src/application/facts/fact-table.js'
import { JsonText } from '../../../../src/domain/json.js'
import { fromGolden, goldenNames, goldenText } from '../../../support/golden-facts.js'
import { temporaryFolders } from '../../../support/temporary-folder.js'

const folder = temporaryFolders()

/** The golden facts about an entity, of every type and version, with the external id of the entity. */
const facts = goldenNames().flatMap((name) => {
  const stored = fromGolden(goldenText(name))
  const fact = readFact(stored)
  if (fact === undefined) return []
  const externalId = meaningOf(fact).entity?.externalId
  return externalId === undefined ? [] : [{ name, type: fact.type, data: stored.data, externalId }]
})

describe.each(facts)('$name', ({ type, data, externalId }) => {
  const stream = `entity-${externalId}`

  test('has its external id in a member that its type declares', () => {
    const declared: readonly string[] = factTable[type].externalIds
    const members = Object.entries(new JsonText(data).value)
    const ids = members.filter(([member]) => declared.includes(member))
    expect(ids.map(([, value]) => value)).toEqual([externalId])
  })

  test('is found by the search for its erased entity', async () => {
    const path = join(folder(), 'file')
    writeFileSync(path, data)
    const { found } = await searchHere({
      paths: [path],
      streams: [stream],
      idMembers: externalIdMembers,
    })
    expect(found.get(stream)).toBe(1)
  })

  test('names its stream without a look-up, unless JSON escapes the external id', () => {
    const names = new StreamNames()
    names.add(1, stream)
    const isEscaped = JSON.stringify(externalId) !== `"${externalId}"`
    expect(names.nameOf(1, data)).toBe(isEscaped ? undefined : stream)
  })
})
