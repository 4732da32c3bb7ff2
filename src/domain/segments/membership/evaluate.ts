import type { InPieces } from '../../in-pieces.js'
import type { Node } from '../rule/compiled-rule.js'
import type { EntityView } from './entity-state.js'
import {
  always,
  never,
  verdictOfInstant,
  type PreparedInstantTest,
  type Verdict,
  instantIn,
} from '../rule/instant-test.js'
import type { Count } from '../rule/rule.js'
import { passes } from '../rule/value-test.js'

/**
 * Evaluates a rule for an entity at log time `now`. If no new fact follows, the result is valid until `until`.
 * At `until` the result of a rule without parts changes. A rule with parts is evaluated again, because one part
 * changes, and its result may stay the same.
 */
export function evaluate(node: Node, view: EntityView, now: number): Verdict {
  switch (node.kind) {
    case 'all':
      return ofParts(node.parts, true, view, now)
    case 'any':
      return ofParts(node.parts, false, view, now)
    case 'not': {
      const { holds, until } = evaluate(node.part, view, now)
      return { holds: !holds, until }
    }
    case 'segment':
      return view.inSegment(node.id, now)
    case 'created':
      return verdictOfInstant(node.test, view.subject.createdAt, now)
    case 'instant':
      return ofProperty(node.test, view.property(node.steps), now)
    case 'sustained':
      return ofSustained(view.sustainedSince(node.id), node.forMs, now)
    case 'count':
      return ofCount(view.instantsOf(node.matcher), node.withinMs, node.count, now)
    default:
      return { holds: holdsAlways(node, view), until: Infinity }
  }
}

/** Returns the first instant after `now` at which the result of the rule changes without new facts. */
export function* firstChange(
  node: Node,
  view: EntityView,
  now: number,
): InPieces<number | undefined> {
  const { holds, until } = evaluate(node, view, now)
  let at = until
  while (at < Infinity) {
    yield
    const later = evaluate(node, view, at)
    if (later.holds !== holds) return at
    at = later.until
  }
  return undefined
}

type Timeless = Extract<Node, { readonly kind: 'everyone' | 'value' | 'last' | 'bucket' }>

/** Evaluates a rule whose result depends on facts only and not on time. */
function holdsAlways(node: Timeless, view: EntityView): boolean {
  switch (node.kind) {
    case 'everyone':
      return true
    case 'value':
      return passes(node.test, view.property(node.steps))
    case 'last':
      return view.lastPasses(node.matcher)
    case 'bucket':
      return view.subject.bucketOf(node.salt) < node.belowShare
  }
}

/**
 * Combines the results of parts: all of them must hold if `isAll` is true, otherwise at least one. A failing
 * part decides the result of `all`, and a passing part decides the result of `any`. A decided result is valid
 * until the latest `until` of the deciding parts.
 */
function ofParts(parts: readonly Node[], isAll: boolean, view: EntityView, now: number): Verdict {
  let decided = -Infinity
  let earliest = Infinity
  for (const part of parts) {
    const { holds, until } = evaluate(part, view, now)
    if (holds === isAll) earliest = Math.min(earliest, until)
    else decided = Math.max(decided, until)
    if (decided === Infinity) break
  }
  if (decided > -Infinity) return { holds: !isAll, until: decided }
  return { holds: isAll, until: earliest }
}

function ofProperty(test: PreparedInstantTest, value: unknown, now: number): Verdict {
  const instant = instantIn(value)
  return instant === undefined ? never : verdictOfInstant(test, instant, now)
}

function ofSustained(since: number | undefined, forMs: number, now: number): Verdict {
  if (since === undefined) return never
  const due = since + forMs
  return due <= now ? always : { holds: false, until: due }
}

/**
 * Evaluates a count of events. Without new events, time only moves events out of the window. An event leaves
 * the window exactly `within` after its occurrence.
 */
function ofCount(
  instants: readonly number[],
  withinMs: number,
  count: Count,
  now: number,
): Verdict {
  const isInside = (nth: number) => {
    const instant = instants[nth - 1]
    return instant !== undefined && now - withinMs < instant
  }
  /** Returns the instant at which the nth newest event leaves the window. */
  const outAt = (nth: number) => (instants[nth - 1] ?? Infinity) + withinMs
  if ('gte' in count) {
    if (count.gte === 0) return always
    return isInside(count.gte) ? { holds: true, until: outAt(count.gte) } : never
  }
  const most = 'lte' in count ? count.lte : count.eq
  if (isInside(most + 1)) return { holds: false, until: outAt(most + 1) }
  if ('lte' in count || most === 0) return always
  return isInside(most) ? { holds: true, until: outAt(most) } : never
}
