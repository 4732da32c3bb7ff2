import type { Rule } from '../../../client/dossier.js'
import type {
  Clause,
  EventRow,
  GroupRow,
  LeafRow,
  Match,
  Row,
  RuleRows,
  Span,
  Test,
  TimeTest,
  TypedBoundary,
  TypedDuration,
  TypedName,
  TypedValue,
} from './rows.js'

type Members = Readonly<Record<string, unknown>>

/**
 * Returns the rule of the rows. An incomplete number becomes a text in the rule, so that the service refuses the rule
 * at that position.
 */
export function ruleOf({ group, isList }: RuleRows): Rule {
  const [first, second] = group.rows
  const isSingle = group.match === 'all' && second === undefined && !isList
  return (isSingle && first !== undefined ? ofRow(first) : ofGroup(group)) as Rule
}

/**
 * Returns the paths at which the service reports the faults of each row of a group. Each path is a JSON Pointer,
 * relative to the rule.
 */
export function pathsOf({ group, isList }: RuleRows): readonly string[] {
  if (group.match === 'all' && group.rows.length === 1 && !isList) return ['']
  return groupPaths(group)
}

/** Returns the same paths, relative to the rule of the group. */
export function groupPaths({ match, rows }: GroupRow): readonly string[] {
  return rows.map((_, at) => `${steps[match]}/${String(at)}`)
}

const steps: Readonly<Record<Match, string>> = {
  all: '/all',
  any: '/any',
  none: '/not/any',
  'not all': '/not/all',
}

function ofRow(row: Row): Members {
  if (row.kind === 'group') return ofGroup(row)
  return row.isNegated ? { not: ofLeaf(row) } : ofLeaf(row)
}

function ofGroup({ match, rows }: GroupRow): Members {
  const rules = rows.map(ofRow)
  if (match === 'none') return { not: { any: rules } }
  return match === 'not all' ? { not: { all: rules } } : { [match]: rules }
}

function ofLeaf(row: LeafRow): Members {
  switch (row.kind) {
    case 'event':
      return ofEvent(row)
    case 'last':
      return { event: ofName(row.event), ...ofWhere(row.where), last: ofClauses(row.last) }
    case 'property':
      return {
        property: ofPointer(row.pointer),
        is: ofTests(row.tests),
        ...(row.held && { for: ofDuration(row.held) }),
      }
    case 'time':
      return { property: ofPointer(row.pointer), is: ofTimeTest(row.test) }
    case 'created':
      return { created: ofTimeTest(row.test) }
    case 'segment':
      return { segment: row.segment }
    case 'share': {
      const salt = row.salt === undefined ? {} : { salt: row.salt }
      return { bucket: { ...salt, below: ofNumber(row.below) } }
    }
    case 'everyone':
      return { everyone: true }
  }
}

function ofEvent({ event, where, span, count }: EventRow): Members {
  return {
    event: ofName(event),
    ...ofWhere(where),
    ...ofSpan(span),
    ...(count && { count: { [count.word]: ofNumber(count.number) } }),
  }
}

function ofName({ text, isPrefix }: TypedName): unknown {
  return isPrefix ? { starts_with: text } : text
}

/** Returns a typed text as a pointer. A text without a slash is the name of a property. */
export function ofPointer(text: string): string {
  if (text === '' || text.startsWith('/')) return text
  return `/${text.replaceAll('~', '~0')}`
}

function ofSpan(span: Span): Members {
  if (span.kind === 'within') return { within: ofDuration(span.duration) }
  if (span.kind === 'ever') return {}
  const { after, before } = span
  return { ...(after !== '' && { after }), ...(before !== '' && { before }) }
}

function ofDuration({ number, unit }: TypedDuration): string {
  return `${number.trim()}${unit}`
}

function ofTimeTest({ side, boundary }: TimeTest): Members {
  return { [side]: ofBoundary(boundary) }
}

function ofBoundary(boundary: TypedBoundary): unknown {
  if (boundary.kind === 'at') return boundary.at
  return { [boundary.kind]: ofDuration(boundary.duration) }
}

function ofWhere(clauses: readonly Clause[]): Members {
  return clauses.length === 0 ? {} : { where: ofClauses(clauses) }
}

function ofClauses(clauses: readonly Clause[]): Members {
  const byPointer = new Map<string, Clause[]>()
  for (const clause of clauses) {
    const pointer = ofPointer(clause.pointer)
    byPointer.set(pointer, [...(byPointer.get(pointer) ?? []), clause])
  }
  return Object.fromEntries([...byPointer].map(([pointer, tests]) => [pointer, ofTests(tests)]))
}

function ofTests(tests: readonly Test[]): Members {
  return Object.fromEntries(
    tests.map((test) => {
      const member = [test.word, ofOperand(test)] as const
      return test.isNegated ? ['not', Object.fromEntries([member])] : member
    }),
  )
}

function ofOperand({ word, values }: Test): unknown {
  return word === 'in' ? values.map(ofValue) : values[0] && ofValue(values[0])
}

function ofValue({ type, text }: TypedValue): unknown {
  if (type === 'number') return ofNumber(text)
  if (type === 'boolean') return text === 'true'
  return type === 'null' ? null : text
}

/** Returns the number, or the text if it is not a number. */
export function ofNumber(text: string): number | string {
  const number = Number(text)
  return text.trim() === '' || !Number.isFinite(number) ? text : number
}

/** Returns whether two tests would have the same position in the rule, which can hold only one of them. */
export function haveOnePlace(one: Clause | Test, other: Clause | Test): boolean {
  const pointer = 'pointer' in one ? ofPointer(one.pointer) : ''
  const isSameValue = pointer === ('pointer' in other ? ofPointer(other.pointer) : '')
  if (!isSameValue || one.isNegated !== other.isNegated) return false
  return one.isNegated || one.word === other.word
}
