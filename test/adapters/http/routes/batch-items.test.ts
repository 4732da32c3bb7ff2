import { describe, expect, test } from '@jest/globals'
import { maxAppendBytes } from '../../../../src/application/facts/stored-fact.js'
import { create, postBatch, record, update, type BatchResult } from '../../../support/batch.js'
import { sharedHttpService } from '../../../support/shared-http-service.js'

const { server } = sharedHttpService()

const send = (...items: readonly unknown[]) => postBatch(server, items)

/** Returns each detail as `PATH CODE`. */
function detailsOf(result: BatchResult | undefined): readonly string[] {
  if (result === undefined || !('error' in result)) return []
  return result.error.details.map(({ path, code }) => `${path} ${code}`)
}

describe('an item reports its broken rules, with paths inside the item', () => {
  test.each<[string, unknown, readonly string[]]>([
    ['no op', {}, ['/op required']],
    ['an unknown op', { op: 'delete_entity' }, ['/op unknown_operation']],
    ['an op named like a member of all objects', { op: 'constructor' }, ['/op unknown_operation']],
    ['an op that is not text', { op: 1 }, ['/op wrong_type']],
    ['an op that is null', { op: null }, ['/op wrong_type']],
    ['no op and no key', { idempotency_key: '' }, ['/idempotency_key empty', '/op required']],
    ['no external_id to create', { op: 'create_entity' }, ['/external_id required']],
    ['no external_id to change', { op: 'update_entity' }, ['/external_id required']],
    ['no event name', { op: 'record_event' }, ['/entity_external_id required', '/name required']],
    ['nothing to change', update('a', {}), [' required']],
    ['a name in both', update('a', { set: { b: 1 }, unset: ['b'] }), ['/unset/0 conflict']],
    ['fields of another op', create('a', { name: 'x' }), ['/name unknown_field']],
    ['the field of a route', record('a', { external_id: 'a' }), ['/external_id unknown_field']],
    [
      'a key too long',
      create('a', { idempotency_key: 'k'.repeat(256) }),
      ['/idempotency_key too_long'],
    ],
    ['an empty key', create('a', { idempotency_key: '' }), ['/idempotency_key empty']],
    [
      'a key with a space',
      create('a', { idempotency_key: 'a b' }),
      ['/idempotency_key bad_characters'],
    ],
    [
      'a key that is a number',
      create('a', { idempotency_key: 1 }),
      ['/idempotency_key wrong_type'],
    ],
    ['a key that is null', create('a', { idempotency_key: null }), ['/idempotency_key wrong_type']],
    [
      'wrong types',
      create('a', { external_id: 1, properties: [] }),
      ['/external_id wrong_type', '/properties wrong_type'],
    ],
    [
      'all faults together',
      { ...create('', { properties: { 'a/~b': 1e300 }, idempotency_key: '' }), x: 1 },
      [
        '/external_id empty',
        '/idempotency_key empty',
        '/properties/a~1~0b number_out_of_range',
        '/x unknown_field',
      ],
    ],
  ])('%s', async (_what, item, details) => {
    const { results, counts } = await send(item, create('other'))
    expect(results[0]).toMatchObject({ status: 422, error: { code: 'validation_failed' } })
    expect([...detailsOf(results[0])].sort()).toEqual(details)
    expect(counts).toEqual({ stored: 1, replayed: 0, refused: 1, unknown: 0 })
  })

  test('an item reports at most a hundred, and only its first when the reply has grown too long', async () => {
    const leaves = Object.fromEntries(
      Array.from({ length: 150 }, (_, n) => [`k${String(n)}`, 1e300]),
    )
    let properties: object = leaves
    for (let level = 0; level < 6; level += 1) properties = { ['~'.repeat(255)]: properties }
    const { results } = await send(...Array<object>(40).fill(create('a', { properties })))
    const counts = results.map((one) => detailsOf(one).length)
    expect(counts[0]).toBe(100)
    expect(counts.at(-1)).toBe(1)
    const text = JSON.stringify(results)
    expect(text.length).toBeLessThan(2 * 4_194_304)
  })
})

test('an item that is larger than the store accepts is refused alone', async () => {
  const { short } = await send(
    create('ada', { properties: { text: 'x'.repeat(maxAppendBytes) } }),
    create('bob', { properties: { text: 'x'.repeat(maxAppendBytes - 1_000) } }),
  )
  expect(short).toEqual(['413 append_too_large', '201'])
})
