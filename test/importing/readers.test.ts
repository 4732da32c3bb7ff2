import { describe, expect, it } from '@jest/globals'
import { CsvEntities } from '../../src/importing/csv-entities.js'
import type { Entry, EntryReader } from '../../src/importing/entry.js'
import { JsonLines } from '../../src/importing/json-lines.js'
import { Lines } from '../../src/importing/lines.js'

/** An entry, and the item that is sent for it. */
type ReadEntry = Entry & { readonly sent?: unknown }

function entriesOf(reader: EntryReader, text: string | Buffer): readonly ReadEntry[] {
  const lines = new Lines()
  const all = [...lines.take(Buffer.from(text)), ...lines.end()]
  return [...all.map((line) => reader.take(line)), reader.end()]
    .filter((entry) => entry !== undefined)
    .map((entry) =>
      entry.kind === 'fault' ? entry : { ...entry, sent: JSON.parse(entry.json) as unknown },
    )
}

describe('NDJSON', () => {
  const read = (text: string | Buffer) => entriesOf(new JsonLines('file'), text)

  it('has an item per line, with a key made of the file and the line unless the item has its own', () => {
    const text = '{"op":"record_event","a":1}\r\n\n{"op":"x","idempotency_key":"own"}'
    expect(read(text)).toMatchObject([
      { line: 1, sent: { op: 'record_event', a: 1, idempotency_key: 'file-1' } },
      { line: 3, sent: { op: 'x', idempotency_key: 'own' } },
    ])
  })

  it('is sent unchanged except for the added key', () => {
    const own = String.raw`{"op":"x", "idempotency\u005fkey":"own", "set":{"a":1.50}}`
    const text = ` {"op": "x", "set": {"a":1.50,"b":"\\u0061{"} }\t\r\n${own}`
    expect(read(text)).toMatchObject([
      { json: '{"idempotency_key":"file-1","op": "x", "set": {"a":1.50,"b":"\\u0061{"} }\t\r' },
      { json: own },
    ])
  })

  it('gets times in the form that /batch accepts, and an unreadable time is sent unchanged', () => {
    const event = (time: string) => `{"op":"record_event","occurred_at":"${time}"}`
    const times = ['2026-11-20T17:30:00.123456+0800', '2026-11-20T09:30:00', '2026-11-20', 'x']
    expect(read(times.map(event).join('\n'))).toMatchObject([
      { sent: { occurred_at: '2026-11-20T09:30:00.123Z', idempotency_key: 'file-1' } },
      { sent: { occurred_at: '2026-11-20T09:30:00.000Z', idempotency_key: 'file-2' } },
      { sent: { occurred_at: '2026-11-20T00:00:00.000Z', idempotency_key: 'file-3' } },
      { sent: { occurred_at: 'x', idempotency_key: 'file-4' } },
    ])
  })

  it('gets the key of its line when its own key is empty', () => {
    const text = '{"idempotency_key":"","op":"x"}\n{"op":"x","idempotency_key":null,"a":1}'
    expect(read(text)).toMatchObject([
      { sent: { op: 'x', idempotency_key: 'file-1' } },
      { sent: { op: 'x', idempotency_key: 'file-2', a: 1 } },
    ])
  })

  it.each([
    ['ada', '{"op":"record_event","entity_external_id":"ada"}'],
    ['ada', '{"op":"add_to_segment","external_id":"ada","segment":"s"}'],
    ['5', '{"type":"track","userId":5,"anonymousId":"a"}'],
    ['anon:a', '{"type":"track","userId":"","anonymousId":"a"}'],
    ['anon:a', '{"type":"track","userId":null,"anonymousId":"a"}'],
  ])('belongs to the entity %s, whose lines keep their order: %s', (entity, text) => {
    expect(read(text)).toMatchObject([{ entity }])
  })

  it.each([
    ['malformed_json', '{"op":"x"'],
    ['malformed_json', '[{"op":"x"}]'],
    ['malformed_json', 'null'],
    ['malformed_json', '{"op":"x","set":{"__proto__":1}}'],
    ['malformed_json', String.raw`{"op":"x","set":[{"\u005f_proto__":1}]}`],
    ['malformed_json', '{"op":"x","set":{"a":[1,-1e400]}}'],
    ['malformed_json', `{"op":"x","set":{"a":1${'0'.repeat(308)}e1}}`],
    ['malformed_json', `{"op":"x","set":${'{"a":'.repeat(9_000)}1${'}'.repeat(9_001)}`],
    ['unknown_kind', '{"op":1}'],
    ['unknown_kind', '{}'],
    ['unknown_kind', '{"type":"Track"}'],
  ])('is refused with %s when no request could carry it (%#)', (code, text) => {
    expect(read(`${text}\n{"op":"x"}`)).toMatchObject([
      { line: 1, text, fault: { code } },
      { line: 2, sent: { op: 'x' } },
    ])
  })

  it.each(['"yesterday"', '"1899-12-31T23:59:59Z"', 'true', '{"$date":1}'])(
    'is refused for a message with the time %s, which /v1 would replace by the receipt, but not for an identify',
    (time) => {
      const message = (type: string, member: string) =>
        `{"type":"${type}","userId":"u","event":"e","${member}":${time}}`
      const text = [
        message('track', 'timestamp'),
        message('page', 'originalTimestamp'),
        message('identify', 'timestamp'),
        '{"type":"track","userId":"u","event":"e","timestamp":1763631000123}',
        '{"type":"track","userId":"u","event":"e","timestamp":""}',
      ]
      expect(read(text.join('\n'))).toMatchObject([
        { fault: { code: 'not_a_time' } },
        { fault: { code: 'not_a_time' } },
        { kind: 'message' },
        { kind: 'message' },
        { kind: 'message' },
      ])
    },
  )

  it('may contain the text __proto__ outside of member names', () => {
    expect(read('{"op":"x","set":{"a":"__proto__ 1e400"}}')).toMatchObject([{ kind: 'item' }])
  })

  it('has a message of Segment per line, which is sent without its sentAt', () => {
    const text =
      '{"type":"track","userId":"ada","event":"Bought","timestamp":"2025-03-01T10:00:00Z","sentAt":"2025-03-01T10:00:01Z"}\n' +
      '{"type":"identify","userId":"ada","messageId":"own"}\n{"type":"alias","messageId":""}'
    expect(read(text)).toMatchObject([
      {
        line: 1,
        kind: 'message',
        sent: { type: 'track', timestamp: '2025-03-01T10:00:00Z', messageId: 'file-1' },
      },
      { line: 2, sent: { messageId: 'own' } },
      { line: 3, sent: { messageId: 'file-3' } },
    ])
    expect(read(text)[0]).not.toHaveProperty('sent.sentAt')
  })

  it('has lines of one kind, and lines of another kind than the first are refused', () => {
    const [item, message] = ['{"op":"x","type":"track"}', '{"type":"track"}']
    const kinds = (lines: readonly string[]) => read(lines.join('\n')).map(({ kind }) => kind)
    expect(kinds(['{}', item, message, item])).toEqual(['fault', 'item', 'fault', 'item'])
    expect(kinds([message, item, message])).toEqual(['message', 'fault', 'message'])
  })

  it('is refused when a line is not UTF-8', () => {
    expect(read(Buffer.from('{"op":"\xe9"}', 'latin1'))).toMatchObject([
      { line: 1, text: undefined, fault: { code: 'not_utf8' } },
    ])
  })
})

describe('CSV', () => {
  const read = (text: string) => entriesOf(new CsvEntities('f.csv', 'file'), text)

  it.each([
    ['carriage returns end rows', '"a\nb",external_id\rx,1\ry,2', 'a\nb', 'x'],
    ['line feeds end rows', '"a\rb",external_id\n"x\r\nz",1\ny,2', 'a\rb', 'x\r\nz'],
  ])(
    'where %s, a line end inside quotation marks is a part of the field',
    (_what, text, name, x) => {
      expect(read(text)).toMatchObject([
        { sent: { external_id: '1', set: { [name]: x } } },
        { sent: { external_id: '2', set: { [name]: 'y' } } },
      ])
    },
  )

  it('has the own time of each row in the column occurred_at:time, and a property in occurred_at', () => {
    const header = 'external_id,occurred_at:time,occurred_at'
    const rows = ['a,2024-03-01,x', 'b,2024-03-01 09:30,""', 'c,,', 'd,soon,']
    expect(read([header, ...rows].join('\n'))).toMatchObject([
      { sent: { occurred_at: '2024-03-01T00:00:00.000Z', set: { occurred_at: 'x' } } },
      { sent: { occurred_at: '2024-03-01T09:30:00.000Z', set: { occurred_at: '' } } },
      { sent: expect.not.objectContaining({ occurred_at: expect.anything() }) as unknown },
      { sent: { occurred_at: 'soon', set: {} } },
    ])
  })

  it('has an entity per row, with properties of the types in the header', () => {
    const text =
      'age:number,external_id,vip:boolean,joined:text,a:b:text,note\n' +
      '-1.5e3,ada,TRUE,2020-01-01,x,\n,bob,false,"",,"a\nb"\n'
    const entries = read(text)
    expect(entries[0]).toMatchObject({
      line: 2,
      text: '-1.5e3,ada,TRUE,2020-01-01,x,',
      entity: 'ada',
    })
    expect(entries.map(({ sent }) => sent)).toEqual([
      {
        op: 'update_entity',
        external_id: 'ada',
        upsert: true,
        set: { age: -1_500, vip: true, joined: '2020-01-01', 'a:b': 'x' },
        idempotency_key: 'file-2',
      },
      {
        op: 'update_entity',
        external_id: 'bob',
        upsert: true,
        set: { vip: false, joined: '', note: 'a\nb' },
        idempotency_key: 'file-3',
      },
    ])
  })

  it('is refused for rows of another length, and for values of another type with their paths', () => {
    const text = 'external_id,a/b:number,c:boolean\nada,1\nbob,007,yes\n\neve,1e999,\nzoe,0.5,true'
    expect(read(text)).toMatchObject([
      { line: 2, text: 'ada,1', fault: { code: 'malformed_csv' } },
      {
        line: 3,
        fault: { code: 'validation_failed', details: [{ path: '/a~1b' }, { path: '/c' }] },
      },
      { line: 5, fault: { details: [{ path: '/a~1b', code: 'wrong_type' }] } },
      { line: 6, sent: { external_id: 'zoe', set: { 'a/b': 0.5, c: true } } },
    ])
  })

  it.each([
    ['no external_id', 'id,name', /header with a column external_id/],
    ['a repeated name', 'external_id,a,a:number', /names a twice/],
    ['an unknown type', 'external_id,a:date', /"a:date:text"/],
    ['a column without a name', 'external_id,,a', /whose name is ""/],
    ['an external_id of another type', 'external_id:number', /is text/],
    ['a lone quotation mark', 'external_id,a"b', /quotation mark/],
  ])('stops the import at a header with %s', (_, header, message) => {
    expect(() => read(`${header}\nada,1,2`)).toThrow(message)
  })
})
