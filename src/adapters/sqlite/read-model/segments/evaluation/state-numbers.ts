import type { CompiledRule } from '../../../../../domain/segments/rule/compiled-rule.js'
import type { DefinedSegment } from '../../../../../domain/segments/timeline.js'
import { type Database, prepareAll } from '../../../file/driver.js'
import { numberIn } from '../../../file/row.js'

export interface RuleConditions {
  /** Names of properties, at the top. */
  readonly names: ReadonlySet<string>
  /** Matchers, and tests that must hold for some time. */
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

/** What one kind of lists in states is about, by its numbers. */
export interface Numbered {
  readonly ids: ReadonlyMap<number, string>
  readonly numbers: ReadonlyMap<string, number>
}

/**
 * What rules look at, by the numbers that it has in states. A number is given once: what no rule looks at
 * any longer has none, and when a rule looks at it again, it has another one.
 */
export class StateNumbers {
  readonly names: Numbered
  readonly conditions: Numbered
  readonly segments: Numbered

  /** Makes those that are missing. `numberOf`: of a generation, in the table of members. */
  constructor(
    db: Database,
    looked: RuleConditions,
    numberOf: (active: string) => number | undefined,
  ) {
    const { find, add } = prepareAll(db, sql)
    const numberOfPart = (part: string) => numberIn(find.get(part) ?? add.get(part))
    // Ids of conditions do not begin so.
    this.names = numbered(looked.names, (name) => numberOfPart(`/${name}`))
    this.conditions = numbered(looked.conditions, numberOfPart)
    this.segments = numbered(looked.segments, numberOf)
  }

  /** From here on others have no number. */
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
