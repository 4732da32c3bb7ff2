import fc from 'fast-check'
import { describe, expect, it } from '@jest/globals'
import type { Calls } from '../../src/client/calls.js'
import type { PreviewResult } from '../../src/client/dossier.js'
import { csvCell, csvHead, csvLine, csvOf } from '../../src/console/segments/csv.js'
import { matchesOf } from '../../src/console/segments/preview/find-matches.js'
import { jsonFaultOffset } from '../../src/console/segments/json/json-fault.js'
import { lineDifference } from '../../src/console/segments/segment/line-difference.js'
import { placeAt, placeInJson } from '../../src/console/segments/json/place-in-json.js'
import { furtherRules, templates } from '../../src/console/segments/rule-templates.js'
import { typedRule } from '../../src/console/segments/json/typed-rule.js'
import { isSegmentKey } from '../../src/domain/segments/segment-facts.js'
import { parseRule } from '../../src/domain/segments/rule/parse-rule.js'
import { codePoint } from '../support/code-point.js'

describe('a cell of the members file', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['+49 30', "'+49 30"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\tx', "'\tx"],
    ['-5', "'-5"],
    [-5, '-5'],
    ['a "b", c', '"a ""b"", c"'],
    ['two\nlines', '"two\nlines"'],
    [undefined, ''],
    [null, ''],
    [{ a: 1, b: 2 }, '"{""a"":1,""b"":2}"'],
  ])('of %j is %j', (value, cell) => {
    expect(csvCell(value)).toBe(cell)
  })

  it('is read back by any RFC 4180 reader, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (text) => {
        const cell = csvCell(text)
        const quoted = /^"(?:[^"]|"")*"$/.test(cell)
        const read = quoted ? cell.slice(1, -1).replaceAll('""', '"') : cell
        expect(quoted || !/[",\r\n]/.test(cell)).toBe(true)
        expect(read === text || read === `'${text}`).toBe(true)
        expect(/^[=+\-@\t\r]/.test(read)).toBe(false)
      }),
    )
  })

  it('is in a file with a UTF-8 mark, because some spreadsheets assume another encoding', () => {
    expect(csvHead(['/a,b'])).toBe('\ufeffexternal_id,entity_id,since,"/a,b"\r\n')
  })

  it('has the requested property, and no inherited member of the object', () => {
    const member = { external_id: 'ada', entity_id: 'e', since: 't', properties: { '/a': 1 } }
    expect(csvOf([member], ['/a', 'constructor'])).toBe(csvLine(['ada', 'e', 't', 1, undefined]))
  })
})

describe('the difference of two texts', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 12 })

  it('contains both texts, and repeats no common line unnecessarily', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const found = lineDifference(before.join('\n'), after.join('\n'))
        const without = (sign: string) =>
          found.filter(({ change }) => change !== sign).map(({ text }) => text)
        expect(without('+')).toEqual(before)
        expect(without('-')).toEqual(after)
      }),
    )
  })

  it('is as short as it can be', () => {
    const signs = lineDifference('a\nb\nc\nd', 'b\nc\nx\nd').map(({ change }) => change)
    expect(signs.join('')).toBe('-  + ')
  })
})

describe('the location of a value in a JSON text', () => {
  it('is the beginning of the value, for any JSON', () => {
    const paths = (value: unknown): string[] =>
      typeof value === 'object' && value !== null
        ? [
            '',
            ...Object.entries(value).flatMap(([name, inner]) =>
              paths(inner).map(
                (rest) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}${rest}`,
              ),
            ),
          ]
        : ['']
    const valueOf = (value: unknown, pointer: string): unknown =>
      pointer
        .split('/')
        .slice(1)
        .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
        .reduce<unknown>((at, step) => (at as Readonly<Record<string, unknown>>)[step], value)
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 2), (json, indent) => {
        const value: unknown = JSON.parse(json)
        const text = JSON.stringify(value, undefined, indent)
        for (const pointer of paths(value)) {
          const { line, column } = placeInJson(text, pointer)
          const offset =
            text
              .split('\n')
              .slice(0, line - 1)
              .join('\n').length +
            (line > 1 ? 1 : 0) +
            column -
            1
          const begins = JSON.stringify(valueOf(value, pointer), undefined, indent).slice(0, 1)
          expect(text.slice(offset, offset + 1)).toBe(begins)
          expect(placeAt(text, offset)).toEqual({ line, column })
        }
      }),
    )
  })

  it('is the location of the parent value when the value is missing', () => {
    const text = '{\n  "all": [\n    { "event": "buy" }\n  ]\n}'
    expect(placeInJson(text, '/all/0/within')).toEqual({ line: 3, column: 5 })
    expect(placeInJson(text, '/all/0/event')).toEqual({ line: 3, column: 16 })
  })
})

describe('the example rules', () => {
  it('are all accepted by the service, each with a separate key', () => {
    for (const { key, rule } of templates) {
      expect([key, isSegmentKey(key), parseRule(rule)]).toEqual([key, true, { rule }])
    }
    expect(new Set(templates.map(({ key }) => key)).size).toBe(11)
  })

  it('use every word of the rule language, together with the other examples', () => {
    for (const rule of furtherRules) expect(parseRule(rule)).toEqual({ rule })
    const text = JSON.stringify([...templates.map(({ rule }) => rule), furtherRules])
    const words =
      'all any not everyone segment created property is for event where within after before count last ' +
      'bucket salt below eq in gt gte lt lte starts_with contains includes exists ago ahead'
    for (const word of words.split(' ')) expect(text).toContain(`"${word}":`)
  })

  it('select yesterday from midnight to midnight', () => {
    const rule = templates.find(({ key }) => key === 'yesterday')?.rule
    expect(rule).toEqual({
      event: 'purchase',
      after: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      before: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    })
    const { after, before } = rule as { readonly after: string; readonly before: string }
    expect(Date.parse(before) - Date.parse(after)).toBe(86_400_000)
  })
})

describe('a typed rule', () => {
  it('reports the line of a JSON error', () => {
    expect(typedRule('{\n  "all": [,]\n}')).toEqual({
      fault: 'Line 2, column 11: from here on this is no JSON.',
    })
    expect(typedRule('{}')).toEqual({ rule: {} })
  })
})

describe('the location of a JSON error', () => {
  it('is the first invalid character', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), (json, number) => {
        const at = number % (json.length + 1)
        expect(jsonFaultOffset(json)).toBe(json.length)
        const broken = `${json.slice(0, at)}§${json.slice(at)}`
        let isJson = true
        try {
          JSON.parse(broken)
        } catch {
          isJson = false
        }
        // Within a text it is a sign as any other; else the token that it breaks is the place.
        if (!isJson) {
          expect(jsonFaultOffset(broken)).toBeLessThanOrEqual(at)
          expect(json.slice(jsonFaultOffset(broken), at)).toMatch(/^[\w.+\-\s]*$|^"/)
        }
      }),
    )
  })

  it.each([
    ['{"a":1,}', 7],
    ['[1,,2]', 3],
    ['{a:1}', 1],
    ['[1 2]', 3],
    ['{"a" 1}', 5],
    ['{"a":[1}', 7],
    ['{"a":1', 6],
    ['01', 0],
    ["['a']", 1],
    ['{} {}', 3],
    ['', 0],
  ])('of %j is %i', (text, offset) => {
    expect(jsonFaultOffset(text)).toBe(offset)
  })
})

describe('the matches of a previewed rule', () => {
  const ids = Array.from({ length: 250 }, (_, number) => `p${String(number)}`)
  const items = ids.map((id) => ({ external_id: id }))
  const rule = { everyone: true } as const
  const { signal } = new AbortController()
  let requests: string[] = []

  /** A service with 250 people, of whom those with an even number match. */
  const client = {
    entities: { list: () => ({ page: () => Promise.resolve({ items, next_cursor: null }) }) },
    segments: {
      members: (key: string) => ({
        page: (cursor?: string) => {
          requests.push(`members of ${key}`)
          const page = { items: items.slice(0, 1), next_cursor: 'next' }
          return Promise.resolve(cursor === undefined ? page : { items, next_cursor: null })
        },
      }),
      evaluate: ({ external_ids: asked }: { external_ids: readonly string[] }) => {
        requests.push(`evaluation of ${String(asked.length)}`)
        const found = asked.map((id) => ({
          external_id: id,
          member: Number(id.slice(1)) % 2 === 0,
        }))
        return Promise.resolve({ items: found })
      },
    },
  } as unknown as Calls

  function previewed(members: number, against: string | undefined, entering = 0) {
    requests = []
    const counts = { entering: { count: entering }, leaving: { count: 0 } }
    const result = { members, sample: ids.slice(0, 100), ...counts } as unknown as PreviewResult
    return matchesOf(client, { rule, against, result }, signal)
  }

  it('are those of the preview, if it has all of them', async () => {
    expect((await previewed(100, 'buyers').next()).value).toMatchObject({ ids: ids.slice(0, 100) })
    expect(requests).toEqual([])
  })

  it('are the members of the compared segment, page by page, if nobody would enter or leave', async () => {
    const parts = previewed(251, 'buyers')
    expect((await parts.next()).value).toEqual({ ids: ['p0'], looked: 0 })
    expect(requests).toEqual(['members of buyers'])
    expect((await parts.next()).value).toEqual({ ids, looked: 0 })
    expect((await parts.next()).done).toBe(true)
  })

  it.each([
    ['buyers', 1],
    [undefined, 0],
  ])(
    'are otherwise found by evaluating the rule, as far as the reader wants',
    async (against, entering) => {
      const parts = previewed(125, against, entering)
      const { value } = await parts.next()
      expect(value?.looked).toBe(100)
      expect(value?.ids).toEqual(ids.slice(0, 100).filter((_, number) => number % 2 === 0))
      expect(requests).toEqual(['evaluation of 100'])
      await parts.next()
      expect((await parts.next()).value?.looked).toBe(50)
      expect((await parts.next()).done).toBe(true)
    },
  )
})
