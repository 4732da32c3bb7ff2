import { describe, expect, test } from '@jest/globals'
import { factDataOf } from '../../../../src/application/facts/fact-view.js'
import { JsonText } from '../../../../src/domain/json.js'
import { fromGolden, goldenNames, goldenText } from '../../../support/golden-facts.js'
import { checker } from '../../../support/served-document.js'

/** Validates every version of every fact, because the feed serves facts as they were stored. */

function itemOf(name: string) {
  const { id, type, data } = fromGolden(goldenText(name))
  const item = { position: '1', id, type, stream: 'x', request_id: 'x' }
  const shown: unknown = JSON.parse(factDataOf(type, new JsonText(data)).text)
  return { ...item, data: shown }
}

const served = goldenNames().filter((name) => !name.startsWith('fact-erased'))

describe('a fact in the feed matches the OpenAPI document', () => {
  test.each(served)('%s', (name) => {
    expect(checker.valueFaults('Fact', itemOf(name))).toEqual([])
  })
})

describe('the OpenAPI document rejects an invalid fact', () => {
  const [name = ''] = served
  test.each([
    ['without data', { data: undefined }],
    ['with data of an unknown form', { data: {} }],
    ['of a type that does not exist', { type: 'EntityForgotten' }],
  ])('%s', (_what, change) => {
    const item = { ...itemOf(name), ...change }
    expect(checker.valueFaults('Fact', JSON.parse(JSON.stringify(item)))).not.toEqual([])
  })
})
