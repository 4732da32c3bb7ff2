import type { CompiledRule } from '../../../../../domain/segments/rule/compiled-rule.js'
import type { DefinedSegment } from '../../../../../domain/segments/timeline.js'
import { type Database, prepareAll } from '../../../file/driver.js'
import { numberIn } from '../../../file/row.js'

/** The properties, conditions and segments that a set of rules uses. */
export interface RuleConditions {
  /** The names of top-level properties. */
  readonly names: ReadonlySet<string>
  /** The ids of matchers and of sustained conditions. */
  readonly conditions: ReadonlySet<string>
  readonly segments: ReadonlySet<string>
}

export function conditionsOf(segments: Iterable<DefinedSegment>): RuleConditions {
  const names = new Set<string>()
  const conditions = new Set<string>()
  const ids = new Set<string>()
  for (const { active } of segments) {
    ids.add(active.id)
    for (const name of active.rule?.names ?? []) names.add(name)
    for (const { id } of partsOf(active.rule)) conditions.add(id)
  }
  return { names, conditions, segments: ids }
}

function partsOf(rule: CompiledRule | undefined) {
  return rule === undefined ? [] : [...rule.matchers, ...rule.sustainedTests]
}

/** A map from ids to numbers, and the inverse map. */
export interface Numbered {
  readonly ids: ReadonlyMap<number, string>
  readonly numbers: ReadonlyMap<string, number>
}

/**
 * Assigns the numbers that replace the ids of properties, conditions and segments in packed states. A number is
 * never reused. When no rule uses a property or condition, its number is removed. If a later rule uses the
 * property or condition again, it gets a new number.
 */
export class StateNumbers {
  readonly names: Numbered
  readonly conditions: Numbered
  readonly segments: Numbered

  /**
   * Assigns numbers to properties and conditions that have none. `numberOf` returns the number of a segment's
   * `Generation`.
   */
  constructor(
    db: Database,
    used: RuleConditions,
    numberOf: (active: string) => number | undefined,
  ) {
    const { find, add } = prepareAll(db, sql)
    const numberOfPart = (part: string) => numberIn(find.get(part) ?? add.get(part))
    // The slash distinguishes property names from the ids of conditions, which never start with a slash.
    this.names = numbered(used.names, (name) => numberOfPart(`/${name}`))
    this.conditions = numbered(used.conditions, numberOfPart)
    this.segments = numbered(used.segments, numberOf)
  }

  /** Removes the numbers of properties and conditions that no rule uses. */
  removeOthers(db: Database): void {
    const { all, remove } = prepareAll(db, sql)
    for (const row of all.all()) {
      const number = numberIn(row) ?? 0
      if (!this.names.ids.has(number) && !this.conditions.ids.has(number)) remove.run(number)
    }
  }
}

function numbered(
  ids: ReadonlySet<string>,
  numberOf: (id: string) => number | undefined,
): Numbered {
  const numbers = new Map<string, number>()
  for (const id of ids) {
    const number = numberOf(id)
    if (number !== undefined) numbers.set(id, number)
  }
  return { numbers, ids: new Map([...numbers].map(([id, number]) => [number, id])) }
}

const sql = {
  find: 'SELECT number FROM state_parts WHERE part = ?',
  all: 'SELECT number FROM state_parts',
  remove: 'DELETE FROM state_parts WHERE number = ?',
  add: 'INSERT INTO state_parts (part) VALUES (?) RETURNING number',
}
