import { isJsonObject, type JsonObject } from '../json.js'
import { broken, type RuleViolation } from '../rule-violation.js'
import type { Rule } from './rule/rule.js'

interface NamedSegment {
  readonly key: string
  /** The path that leads from the rule to the key. */
  readonly path: readonly (string | number)[]
}

export function unknownSegment(path: RuleViolation['path']): RuleViolation {
  return broken('unknown_segment', 'must be the key of a segment that there is', path)
}

/**
 * Returns every segment that a rule names (`{ "segment": key }`), with its path in the rule. A stored rule
 * may use the syntax of a later evaluator version. Segments in syntax that this program does not know are not
 * found.
 */
export function segmentsNamedIn(rule: JsonObject | Rule): readonly NamedSegment[] {
  const found: NamedSegment[] = []
  const visit = (node: unknown, path: readonly (string | number)[]): void => {
    if (Array.isArray(node)) {
      node.forEach((part: unknown, at) => {
        visit(part, [...path, at])
      })
    } else if (isJsonObject(node)) {
      const { segment } = node
      if (typeof segment === 'string') found.push({ key: segment, path: [...path, 'segment'] })
      for (const name of ['all', 'any', 'not']) visit(node[name], [...path, name])
    }
  }
  visit(rule, [])
  return found
}

export function segmentsNamedBy(rule: JsonObject | Rule): ReadonlySet<string> {
  return new Set(segmentsNamedIn(rule).map(({ key }) => key))
}

/**
 * Returns the ids and all their dependencies. Each id follows its own dependencies. A dependency that would
 * close a cycle is ignored.
 */
export function dependencyOrder(
  ids: Iterable<string>,
  dependenciesOf: (id: string) => Iterable<string>,
): ReadonlySet<string> {
  const ordered = new Set<string>()
  const begun = new Set<string>()
  const visit = (id: string): void => {
    if (begun.has(id)) return
    begun.add(id)
    for (const dependency of dependenciesOf(id)) visit(dependency)
    ordered.add(id)
  }
  for (const id of ids) visit(id)
  return ordered
}
