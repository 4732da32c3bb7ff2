import type { CompiledRule } from '../../../../../domain/segments/rule/compiled-rule.js'
import type { DefinedSegment } from '../../../../../domain/segments/timeline.js'
import { type Database, prepareAll } from '../../../file/driver.js'
import { numberIn } from '../../../file/row.js'

/** The parts of a state that a set of rules uses, as ids. */
export interface RuleConditions {
  /** Top-level property names. */
  readonly names: ReadonlySet<string>
  /** Ids of matchers, and of tests that must hold for some time. */
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

/** Ids and their numbers, both ways. */
export interface Numbered {
  readonly ids: ReadonlyMap<number, string>
  readonly numbers: ReadonlyMap<string, number>
}

/**
 * The numbers that stand for properties, conditions and segments in packed states. A number is never reused: when
 * no rule uses a part, its number is removed, and a later rule that uses the part gets a new number.
 */
export class StateNumbers {
  readonly names: Numbered
  readonly conditions: Numbered
  readonly segments: Numbered

  /** Creates missing numbers. `numberOf` returns the id of a generation. */
  constructor(
    db: Database,
    used: RuleConditions,
    numberOf: (active: string) => number | undefined,
  ) {
    const { find, add } = prepareAll(db, sql)
    const numberOfPart = (part: string) => numberIn(find.get(part) ?? add.get(part))
    // Ids of conditions never start with a slash.
    this.names = numbered(used.names, (name) => numberOfPart(`/${name}`))
    this.conditions = numbered(used.conditions, numberOfPart)
    this.segments = numbered(used.segments, numberOf)
  }

  /** Removes the numbers of parts that no rule uses. */
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
