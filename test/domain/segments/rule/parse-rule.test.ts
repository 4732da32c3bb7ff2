import { describe, expect, it, test } from '@jest/globals'
import { parseRule } from '../../../../src/domain/segments/rule/parse-rule.js'

/** Returns every violation as its JSON Pointer and its code. */
function faults(value: unknown): readonly string[] {
  const parsed = parseRule(value)
  if ('rule' in parsed) return []
  return parsed.violations.map(
    ({ path, code }) => `${path.map((step) => `/${String(step)}`).join('')} ${code}`,
  )
}

const paid = { eq: 'paid' }
const nested = (depth: number): object =>
  depth === 1 ? { everyone: true } : { not: nested(depth - 1) }
const notTest = (depth: number): object => (depth === 1 ? paid : { not: notTest(depth - 1) })
const wide = (rules: number) => ({
  all: Array.from({ length: rules - 1 }, () => ({ everyone: true })),
})

describe('a valid rule', () => {
  test.each<[string, unknown]>([
    ['of everyone', { everyone: true }],
    ['of parts', { all: [{ any: [{ not: { segment: 'a-1_b' } }] }] }],
    ['of creation', { created: { before: { ago: '9999w' } } }],
    ['of a day', { created: { after: '2026-02-28' } }],
    ['of an instant property', { property: '/when', is: { after: { ahead: '1m' } } }],
    ['with a property and `for`', { property: '/a~1b/0/', is: { exists: false }, for: '30d' }],
    [
      'of every test',
      { property: '/n', is: { eq: null, in: [1, 'a', true, null], gt: 0.5, lte: 3 } },
    ],
    ['of a negated test', { property: '/n', is: { not: { gt: 1, lt: 5 }, exists: true } }],
    ['with a negated test and `for`', { property: '/n', is: { not: { not: paid } }, for: '1d' }],
    [
      'of negated tests of events',
      { event: 'buy', where: { '/n': { not: paid } }, last: { '/n': { not: { in: [1] } } } },
    ],
    ['of a test 8 deep', { property: '/n', is: notTest(8) }],
    ['of tests 8 deep in events', { event: 'buy', where: { '/n': notTest(8) } }],
    ['of events', { event: 'buy', where: { '/n': { gte: 1 } }, within: '2w', count: { eq: 100 } }],
    ['of no event', { event: { starts_with: 'b' }, count: { lte: 0 } }],
    [
      'between instants',
      { event: 'buy', after: '2026-01-01', before: '2026-01-01T00:00:00+02:00' },
    ],
    ['of the last event', { event: 'buy', where: {}, last: { '/plan': paid } }],
    ['of a bucket', { bucket: { salt: 'π', below: 12.34 } }],
    ['of a bucket without salt', { bucket: { below: 0 } }],
    [
      'with names that equal operators',
      { event: 'constructor', where: { '/__proto__/toString': paid } },
    ],
    ['of the largest number', { property: '/n', is: { lt: Number.MAX_SAFE_INTEGER } }],
    ['8 deep', nested(8)],
    ['of 64 rules', wide(64)],
  ])('%s is accepted unchanged', (_, rule) => {
    expect(parseRule(rule)).toEqual({ rule })
  })
})

describe('an invalid rule', () => {
  test.each<[string, unknown, readonly string[]]>([
    ['null', null, [' wrong_type']],
    ['a list', [], [' wrong_type']],
    ['a text', 'everyone', [' wrong_type']],
    ['nothing', undefined, [' wrong_type']],
    ['empty', {}, [' required']],
    ['two forms at once', { everyone: true, segment: 'a' }, ['/segment conflict']],
    ['`everyone` with another value', { everyone: 1 }, ['/everyone wrong_type']],
    ['an empty list of parts', { all: [] }, ['/all empty']],
    ['parts that are not a list', { any: {} }, ['/any wrong_type']],
    ['a part that is not an object', { all: [{ everyone: true }, 3] }, ['/all/1 wrong_type']],
    ['a list in `not`', { not: [{ everyone: true }] }, ['/not wrong_type']],
    ['a key with capitals', { segment: 'A' }, ['/segment bad_characters']],
    ['a reserved key', { segment: 'evaluate' }, ['/segment bad_characters']],
    ['a key that is a number', { segment: 1 }, ['/segment wrong_type']],
    ['an instant test without a boundary', { created: {} }, ['/created required']],
    [
      'both',
      { created: { before: '2026-01-01', after: '2026-01-01' } },
      ['/created/after conflict'],
    ],
    ['an invalid day', { created: { before: '2026-02-30' } }, ['/created/before not_a_time']],
    [
      'a time without an offset',
      { created: { after: '2026-02-03T00:00:00' } },
      ['/created/after not_a_time'],
    ],
    ['a time that is a number', { created: { after: 3 } }, ['/created/after wrong_type']],
    ['a month', { created: { before: { ago: '1M' } } }, ['/created/before/ago not_a_time']],
    [
      'a boundary with neither ago nor ahead',
      { created: { before: {} } },
      ['/created/before required'],
    ],
    [
      'a boundary with both ago and ahead',
      { created: { before: { ago: '1d', ahead: '1d' } } },
      ['/created/before/ahead conflict'],
    ],
    ['an invalid pointer', { property: 'plan', is: paid }, ['/property bad_characters']],
    ['the pointer to the whole document', { property: '', is: paid }, ['/property bad_characters']],
    [
      'a pointer with an invalid escape',
      { property: '/a~2', is: paid },
      ['/property bad_characters'],
    ],
    ['a property without a test', { property: '/plan' }, ['/is required']],
    ['an empty test', { property: '/plan', is: {} }, ['/is required']],
    ['a test with an unknown word', { property: '/plan', is: { ne: 3 } }, ['/is/ne unknown_field']],
    [
      'an instant test with `for`',
      { property: '/w', is: { before: '2026-01-01' }, for: '1d' },
      ['/is/before unknown_field'],
    ],
    [
      'both kinds of test',
      { property: '/w', is: { before: '2026-01-01', eq: 3 } },
      ['/is/eq unknown_field'],
    ],
    ['a comparison with a text', { property: '/n', is: { gt: '3' } }, ['/is/gt wrong_type']],
    [
      'a text operand of another type',
      { property: '/n', is: { contains: 3 } },
      ['/is/contains wrong_type'],
    ],
    ['`eq` with a list', { property: '/n', is: { eq: [3] } }, ['/is/eq wrong_type']],
    ['`in` with an empty list', { property: '/n', is: { in: [] } }, ['/is/in empty']],
    [
      '`in` with 101 items',
      { property: '/n', is: { in: Array(101).fill(1) } },
      ['/is/in too_many'],
    ],
    ['`in` with objects', { property: '/n', is: { in: [1, {}] } }, ['/is/in/1 wrong_type']],
    ['an empty `not`', { property: '/n', is: { not: {} } }, ['/is/not required']],
    ['`not` with a scalar', { property: '/n', is: { not: 3 } }, ['/is/not wrong_type']],
    ['`not` with a list', { property: '/n', is: { not: [paid] } }, ['/is/not wrong_type']],
    [
      '`not` with an unknown word',
      { property: '/n', is: { not: { ne: 3 } } },
      ['/is/not/ne unknown_field'],
    ],
    [
      '`not` with an invalid operand',
      { event: 'buy', last: { '/n': { not: { gt: '3' } } } },
      ['/last//n/not/gt wrong_type'],
    ],
    [
      '`not` with an instant test',
      { property: '/w', is: { not: { before: '2026-01-01' } } },
      ['/is/not/before unknown_field'],
    ],
    [
      '`not` beside an instant test',
      { property: '/w', is: { before: '2026-01-01', not: paid } },
      ['/is/not unknown_field'],
    ],
    [
      '`not` with a rule inside a test',
      { property: '/n', is: { not: { everyone: true } } },
      ['/is/not/everyone unknown_field'],
    ],
    ['`not` in place of `is`', { property: '/n', not: paid }, ['/not unknown_field']],
    [
      '`not` with a rule beside a property',
      { property: '/n', not: { everyone: true } },
      ['/property conflict'],
    ],
    [
      '`where` with `not` in place of a pointer',
      { event: 'buy', where: { not: { '/n': paid } } },
      ['/where/not bad_characters'],
    ],
    ['`exists` with a text', { property: '/n', is: { exists: 'yes' } }, ['/is/exists wrong_type']],
    ['a lone surrogate', { property: '/n', is: { eq: '\ud800' } }, ['/is/eq ill_formed']],
    ['an invalid duration', { property: '/n', is: paid, for: '0d' }, ['/for not_a_time']],
    ['five digits', { event: 'buy', within: '10000d' }, ['/within not_a_time']],
    ['a duration that is a number', { event: 'buy', within: 30 }, ['/within wrong_type']],
    ['an empty event name', { event: '' }, ['/event empty']],
    ['a name with white space', { event: ' buy' }, ['/event bad_characters']],
    ['a long name', { event: 'n'.repeat(256) }, ['/event too_long']],
    ['an empty prefix', { event: { starts_with: '' } }, ['/event/starts_with empty']],
    ['a prefix by another name', { event: { prefix: 'b' } }, ['/event/prefix unknown_field']],
    ['`where` as a list', { event: 'buy', where: [] }, ['/where wrong_type']],
    [
      '`where` with an invalid pointer',
      { event: 'buy', where: { plan: paid } },
      ['/where/plan bad_characters'],
    ],
    [
      '`where` with an instant test',
      { event: 'buy', where: { '/w': { before: '2026-01-01' } } },
      ['/where//w/before unknown_field'],
    ],
    [
      '`where` with a test in place of a pointer',
      { event: 'buy', where: { eq: 'paid' } },
      ['/where/eq bad_characters'],
    ],
    [
      'a window and an instant',
      { event: 'buy', within: '1d', after: '2026-01-01' },
      ['/after conflict'],
    ],
    ['`last` beside `within`', { event: 'buy', last: {}, within: '1d' }, ['/within conflict']],
    ['`last` beside `count`', { event: 'buy', last: {}, count: { gte: 1 } }, ['/count conflict']],
    ['an empty count', { event: 'buy', count: {} }, ['/count required']],
    ['two counts', { event: 'buy', count: { gte: 1, lte: 2 } }, ['/count/lte conflict']],
    [
      'a count with an unknown word',
      { event: 'buy', count: { gt: 1 } },
      ['/count/gt unknown_field'],
    ],
    ['a count below 0', { event: 'buy', count: { gte: -1 } }, ['/count/gte number_out_of_range']],
    [
      'a count above 100',
      { event: 'buy', count: { lte: 101 } },
      ['/count/lte number_out_of_range'],
    ],
    ['a fractional count', { event: 'buy', count: { eq: 0.5 } }, ['/count/eq number_out_of_range']],
    ['a count with a text', { event: 'buy', count: { eq: '1' } }, ['/count/eq wrong_type']],
    ['a bucket without `below`', { bucket: {} }, ['/bucket/below required']],
    ['a share above 100', { bucket: { below: 100.1 } }, ['/bucket/below number_out_of_range']],
    [
      'a share that is not a number',
      { bucket: { below: Number.NaN } },
      ['/bucket/below number_out_of_range'],
    ],
    ['a salt that is a number', { bucket: { salt: 1, below: 1 } }, ['/bucket/salt wrong_type']],
    ['`within` beside `everyone`', { everyone: true, within: '1d' }, ['/within unknown_field']],
    ['`for` beside `event`', { event: 'buy', for: '1d' }, ['/for unknown_field']],
    [
      '`all` beside a property with its test',
      { all: [], property: '/n', is: paid },
      ['/all conflict'],
    ],
    [
      '`last` beside `within`, `after` and `before`',
      { event: 'buy', last: {}, after: '2026-01-01', before: '2026-01-02', count: { gte: 1 } },
      ['/last conflict'],
    ],
    [
      '`within` beside `after` and `before`',
      { event: 'buy', within: '1d', after: '2026-01-01', before: '2026-01-02' },
      ['/within conflict'],
    ],
    ['a test without a property', { is: paid, for: '1d' }, ['/property required']],
    ['a window without an event', { within: '1d' }, ['/event required']],
  ])('is refused with exactly the violations at their paths: %s', (_, rule, expected) => {
    expect(faults(rule)).toEqual(expected)
  })

  it.each(['gt', 'eq', 'includes'])('is refused for a number beyond 2^53 (%s)', (operator) => {
    for (const number of [2 ** 53, -(2 ** 53), 1e300, Infinity, Number.NaN]) {
      const is = { [operator]: number }
      expect(faults({ property: '/n', is })).toEqual([`/is/${operator} number_out_of_range`])
    }
  })

  it('is refused for member names that objects inherit', () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const rule: unknown = JSON.parse(`{"everyone":true,${JSON.stringify(name)}:{"all":[]}}`)
      expect(faults(rule)).toEqual([`/${name} unknown_field`])
      const alone: unknown = JSON.parse(`{${JSON.stringify(name)}:{"everyone":true}}`)
      expect(faults(alone)).toEqual([`/${name} unknown_field`])
      const is: unknown = JSON.parse(`{"eq":1,${JSON.stringify(name)}:1}`)
      expect(faults({ property: '/n', is })).toEqual([`/is/${name} unknown_field`])
    }
  })

  it('is refused when it is nested 9 levels deep', () => {
    expect(faults(nested(9))).toEqual([`${'/not'.repeat(8)} too_deep`])
    expect(faults({ any: [nested(8), { everyone: true }] })).toEqual([
      `/any/0${'/not'.repeat(7)} too_deep`,
    ])
  })

  it('is refused when it has a test that is nested 9 levels deep', () => {
    const inIs = { property: '/n', is: notTest(9) }
    expect(faults(inIs)).toEqual([`/is${'/not'.repeat(8)} too_deep`])
    expect(faults({ ...inIs, for: '1d' })).toEqual([`/is${'/not'.repeat(8)} too_deep`])
    const inEvents = { event: 'buy', where: { '/n': notTest(9) } }
    expect(faults(inEvents)).toEqual([`/where//n${'/not'.repeat(8)} too_deep`])
  })

  it('is refused when it consists of 65 rules', () => {
    expect(faults(wide(65))).toEqual([' too_many'])
    const two = { any: [wide(32), wide(32)] }
    expect(faults(two)).toEqual([' too_many'])
    expect(faults({ any: [wide(32), wide(31)] })).toEqual([])
    expect(faults(wide(66))).toEqual(['/all too_many'])
  })
})

it('all violations of a rule are reported at once', () => {
  const rule = {
    all: [
      { property: 'plan', is: { gt: 'x', exists: 1 }, for: '1y' },
      { event: '', where: { '/n': {} }, count: { gte: 1.5 }, near: 1 },
      { not: { bucket: { below: 101, above: 1 } } },
      { segment: '-' },
    ],
  }
  expect(faults(rule)).toEqual([
    '/all/0/property bad_characters',
    '/all/0/is/gt wrong_type',
    '/all/0/is/exists wrong_type',
    '/all/0/for not_a_time',
    '/all/1/near unknown_field',
    '/all/1/event empty',
    '/all/1/where//n required',
    '/all/1/count/gte number_out_of_range',
    '/all/2/not/bucket/above unknown_field',
    '/all/2/not/bucket/below number_out_of_range',
    '/all/3/segment bad_characters',
  ])
})

it('at most 100 violations of a rule are reported', () => {
  const where = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`p${String(n)}`, 3]))
  expect(faults({ event: 'buy', where })).toHaveLength(100)
  expect(faults(nested(5_000))).toEqual([`${'/not'.repeat(8)} too_deep`])
  const is = notTest(5_000)
  expect(faults({ property: '/n', is })).toEqual([`/is${'/not'.repeat(8)} too_deep`])
})

it('a message never repeats a refused value', () => {
  const secret = 'a value that nobody should read'
  const parsed = parseRule({ property: secret, is: { gt: secret }, for: secret })
  const messages = 'rule' in parsed ? [] : parsed.violations.map(({ message }) => message)
  expect(messages).toHaveLength(3)
  expect(messages.join()).not.toContain(secret)
})

test.each<[unknown, string]>([
  [
    { and: [] },
    '/and is not known here: there may be all, any, not, everyone, segment, created, property, event, bucket',
  ],
  [{ propery: '/plan', is: paid }, '/propery is not known here: there may be property, for'],
  [{ property: '/plan', si: paid }, '/si is not known here: there may be is, for'],
  [
    { performed: 'buy', within: '1d' },
    '/performed is not known here: there may be event, where, count',
  ],
  [{ event: 'buy', last: {}, near: 1 }, '/near is not known here: there may be where'],
  [{ property: '/plan', is: paid, within: '1d' }, '/within must not stand beside property, is'],
  [{ event: 'buy', within: '1d', after: '2026-01-01' }, '/after must not stand beside within'],
  [{ everyone: true, near: 1 }, '/near is not known here: nothing more may stand beside everyone'],
  [
    { property: '/when', is: { before: '2026-01-01' }, near: 1 },
    '/near is not known here: nothing more may stand beside property, is',
  ],
  [{ bucket: { above: 1 } }, '/bucket/above is not known here: there may be below, salt'],
  [
    { event: 'buy', where: { '/n': { before: '2026-01-01' } } },
    '/where//n/before is not known here: there may be eq, in, gt, gte, lt, lte, starts_with, contains, includes, exists, not',
  ],
  [
    { property: '/n', is: { not: { before: '2026-01-01' } } },
    '/is/not/before is not known here: there may be eq, in, gt, gte, lt, lte, starts_with, contains, includes, exists, not',
  ],
  [
    { property: '/n', is: { exists: true, before: '2026-01-01' } },
    '/is/before must not stand beside exists',
  ],
  [{ property: '/n', not: paid }, '/not is not known here: there may be is, for'],
  [{ within: '1d' }, '/event is required'],
  [{ created: {} }, '/created must have one of before, after'],
])('the message for %j lists only the permitted words', (rule, expected) => {
  const parsed = parseRule(rule)
  const said = ('rule' in parsed ? [] : parsed.violations).map(
    ({ path, message }) => `${path.map((step) => `/${String(step)}`).join('')} ${message}`,
  )
  expect(said).toEqual([expected])
})
