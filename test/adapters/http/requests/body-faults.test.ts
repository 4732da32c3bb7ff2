import { describe, expect, test } from '@jest/globals'
import { expectFault, expectInvalid } from '../../../support/fault-expectation.js'
import { post, type Path } from '../../../support/post.js'
import { sharedHttpService } from '../../../support/shared-http-service.js'

const service = sharedHttpService()

describe('a body that is not JSON is refused', () => {
  const proto = 'The body has a member "__proto__". This name is not allowed.'
  const notJsonAt = (place: string) =>
    `The body is not JSON: look at ${place}. Send one JSON object in UTF-8.`
  const notUtf8 = 'The body is not valid UTF-8. Send JSON in UTF-8.'
  const noBody = 'The request has no body. Send one JSON object in UTF-8.'
  test.each<[string, string | Buffer, string]>([
    ['empty', '', noBody],
    ['white space', ' \n', notJsonAt('line 2, column 1')],
    ['truncated', '{"external_id":"ada"', notJsonAt('line 1, column 21')],
    ['with an extra comma', '{"external_id":"ada",}', notJsonAt('line 1, column 22')],
    ['in single quotes', "{'external_id':'ada'}", notJsonAt('line 1, column 2')],
    ['two values', '{"external_id":"ada"}{}', notJsonAt('line 1, column 22')],
    ['NaN', '{"external_id":"ada","properties":{"a":NaN}}', notJsonAt('line 1, column 40')],
    ['with a raw control character', '{"external_id":"a\nda"}', notJsonAt('line 1, column 16')],
    [
      'with the words of the fault of __proto__',
      'forbidden prototype',
      notJsonAt('line 1, column 1'),
    ],
    ['a form', 'external_id=ada', notJsonAt('line 1, column 1')],
    ['in UTF-16', Buffer.from('{"external_id":"ada"}', 'utf16le'), notJsonAt('line 1, column 2')],
    ['with a byte that is not UTF-8', Buffer.from('{"external_id":"ad\xe4"}', 'latin1'), notUtf8],
    ['with an overthorough form', Buffer.from('{"external_id":"\xc0\xaf"}', 'latin1'), notUtf8],
    ['with an encoded surrogate', Buffer.from('{"external_id":"\xed\xa0\x80"}', 'latin1'), notUtf8],
    ['truncated inside a character', Buffer.from('"ä').subarray(0, 2), notUtf8],
    ['__proto__ at the top level', '{"external_id":"ada","__proto__":{}}', proto],
    [
      '__proto__ at a lower level',
      '{"external_id":"ada","properties":{"a":[{"__proto__":1}]}}',
      proto,
    ],
    [
      'an escaped __proto__',
      '{"external_id":"ada","properties":{"\\u005f_proto_\\u005F":1}}',
      proto,
    ],
    ['__proto__ in an array', '[[{"__proto__":null}]]', proto],
    ['__proto__ before a space', '{"external_id":"ada","properties":{"__proto__" : 1}}', proto],
  ])('%s', async (_what, body, message) => {
    const fault = expectFault(await post(service.server, '/entities', body), 400, 'malformed_json')
    expect(fault.message).toBe(message)
    expect(fault.details).toEqual([])
    expect(service.store.read('entity-ada')).toEqual([])
  })

  test('a missing body is refused', async () => {
    const reply = await service.server.inject({
      method: 'POST',
      url: '/entities',
      headers: {
        authorization: 'Bearer a-key-that-may-write-0123456789',
        'content-type': 'application/json',
      },
    })
    expect(expectFault(reply, 400, 'malformed_json').message).toBe(noBody)
  })
})

describe('unusual but valid JSON is accepted', () => {
  test.each<[string, string, unknown]>([
    [
      'keys that objects inherit',
      '{"constructor":{"prototype":1},"prototype":{},"toString":null,"hasOwnProperty":[]}',
      { constructor: { prototype: 1 }, prototype: {}, toString: null, hasOwnProperty: [] },
    ],
    [
      'keys of a getter by name',
      '{"__defineGetter__":1,"__proto":2,"proto__":3}',
      { __defineGetter__: 1, __proto: 2, proto__: 3 },
    ],
    [
      '__proto__ as a value',
      '{"a":"__proto__","b":"\\"__proto__\\":"}',
      { a: '__proto__', b: '"__proto__":' },
    ],
    ['a repeated member, of which the last counts', '{"a":1,"a":{"b":2},"a":3}', { a: 3 }],
    ['escapes', '{"\\u0061":"\\ud83e\\udd8a\\/\\n"}', { a: '🦊/\n' }],
    [
      'numbers in other spellings',
      '{"a":1.0,"b":-0,"c":1e2,"d":0.1e-6,"e":9007199254740991}',
      { a: 1, b: 0, c: 100, d: 1e-7, e: 9007199254740991 },
    ],
    ['digits beyond a double', '{"a":0.1000000000000000055511151231257827}', { a: 0.1 }],
    ['__proto__ in a member that a later one replaces', '{"a":{"__proto__":1},"a":2}', { a: 2 }],
    ['a NUL in a text', '{"a":"\\u0000"}', { a: '\0' }],
  ])('%s', async (_what, properties, expected) => {
    const reply = await post(
      service.server,
      '/entities',
      `{"external_id":"ada","properties":${properties}}`,
    )
    expect(reply.statusCode).toBe(201)
    expect(reply.json()).toEqual({
      status: 'success',
      data: {
        external_id: 'ada',
        properties: expected,
        created_at: '2026-11-20T09:30:00.000Z',
        recorded_at: '2026-11-20T09:30:00.000Z',
      },
    })
  })

  test('after a byte order mark', async () => {
    const reply = await post(
      service.server,
      '/entities',
      Buffer.from('\ufeff{"external_id":"ada"}'),
    )
    expect(reply.statusCode).toBe(201)
  })
})

describe('a body reports all broken rules, each with its path', () => {
  const long = 'x'.repeat(256)
  test.each<[string, Path, string, string[]]>([
    [
      'unknown fields',
      '/entities',
      '{"external_id":"ada","propertys":{},"a/b~c":1,"constructor":1}',
      ['/propertys unknown_field', '/a~1b~0c unknown_field', '/constructor unknown_field'],
    ],
    [
      'an unknown field of an empty name',
      '/entities',
      '{"external_id":"ada","":1}',
      ['/ unknown_field'],
    ],
    [
      'unknown fields whose names cannot be repeated',
      '/entities',
      `{"external_id":"ada","${long}":1,"\\ud800":2}`,
      [' unknown_field', ' unknown_field'],
    ],
    [
      'faults within properties',
      '/entities',
      '{"external_id":"ada","properties":{"a/b":[1,1e300],"c~d":{"":1},"~1":"\\udc00"}}',
      [
        '/properties/a~1b/1 number_out_of_range',
        '/properties/c~0d empty',
        '/properties/~01 ill_formed',
      ],
    ],
    [
      'faults of every field',
      '/events',
      '{"entity_external_id":7,"name":"\\t","properties":{"a":9007199254740993},"x":1}',
      [
        '/entity_external_id wrong_type',
        '/name bad_characters',
        '/name bad_characters',
        '/properties/a number_out_of_range',
        '/x unknown_field',
      ],
    ],
  ])('%s', async (_what, path, body, expected) => {
    expectInvalid(await post(service.server, path, body), ...expected)
    expect(service.store.read('entity-ada')).toEqual([])
  })

  test('in messages that say what to do', async () => {
    const body = { external_id: 1, properties: null, more: 1, [long]: 1 }
    const told = async (sent: unknown) => {
      const reply = await post(service.server, '/entities', sent)
      return expectFault(reply, 422, 'validation_failed').details.map(({ message }) => message)
    }
    expect(await told(body)).toEqual([
      'must be a string',
      'must be a JSON object',
      'is not a field of this request',
      'has an unknown field',
    ])
    expect(await told({ extrenal_id: 'ada', propertie: {}, ['x'.repeat(200)]: 1 })).toEqual([
      'is required',
      'is not a field of this request; did you mean external_id?',
      'is not a field of this request; did you mean properties?',
      'is not a field of this request',
    ])
    expect(await told('[]')).toEqual(['must be a JSON object'])
    expect(await told('{}')).toEqual(['is required'])
  })

  test.each([
    ['unknown fields', { external_id: 'ada', ...numbered(101) }],
    [
      'faults within properties',
      { external_id: 'ada', properties: { a: Array.from({ length: 101 }, () => 1e300) } },
    ],
    [
      'faults of both kinds',
      {
        external_id: '',
        ...numbered(60),
        properties: { a: Array.from({ length: 60 }, () => 1e300) },
      },
    ],
  ])('up to 100 details: %s', async (_what, body) => {
    const reply = await post(service.server, '/entities', body)
    expect(expectFault(reply, 422, 'validation_failed').details).toHaveLength(100)
  })

  test.each<[string, string]>([
    ['a name', '{"external_id":" SECRET\\u0000"}'],
    ['a name that is not text', '{"external_id":{"SECRET":"SECRET"}}'],
    ['a property', '{"external_id":"ada","properties":{"a":["SECRET\\ud800"]}}'],
    ['a long key', `{"external_id":"ada","properties":{"${'SECRET'.repeat(50)}":1}}`],
    ['an unknown field', '{"external_id":"ada","other":"SECRET"}'],
    ['a long unknown field', `{"external_id":"ada","${'SECRET'.repeat(50)}":1}`],
    ['text that is not JSON', '{"external_id":SECRET}'],
    ['a malformed key', '{"external_id":"ada","properties":{"SECRET\\ud800":1}}'],
  ])('and never repeats a refused value: %s', async (_what, body) => {
    const reply = await post(service.server, '/entities', body)
    expect([400, 422]).toContain(reply.statusCode)
    expect(reply.body).not.toContain('SECRET')
    expect(service.log.lines).toEqual([])
  })
})

function numbered(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${String(at)}`, at]))
}
