import type { CompiledRule } from '../../../../domain/segments/rule/compiled-rule.js'
import type { DefinedSegment } from '../../../../domain/segments/timeline.js'
import { type Database, prepareAll } from '../../file/driver.js'
import { numberIn, valuesIn } from '../../file/row.js'

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

/**
 * What rules look at, by the numbers that it has in states. A number is given once: what no rule looks at
 * any longer has none, and when a rule looks at it again, it has another one.
 */
export class StateNumbers {
  readonly names = new Map<number, string>()
  readonly conditions = new Map<number, string>()
  readonly segments = new Map<number, string>()
  private readonly numbers = new Map<string, number>()
  private readonly segmentNumbers = new Map<string, number>()

  /** Makes those that are missing. `numberOf`: of a generation, in the table of members. */
  constructor(
    db: Database,
    looked: RuleConditions,
    numberOf: (active: string) => number | undefined,
  ) {
    const statements = prepareAll(db, sql)
    const parts = [...looked.conditions, ...[...looked.names].map(nameOf)]
    for (const part of parts) {
      if (statements.find.get(part) === undefined) statements.add.run(part)
      this.numbers.set(part, numberIn(statements.find.get(part)) ?? 0)
    }
    for (const id of looked.conditions) this.conditions.set(this.numbers.get(id) ?? 0, id)
    for (const name of looked.names) this.names.set(this.numbers.get(nameOf(name)) ?? 0, name)
    for (const active of looked.segments) {
      const number = numberOf(active)
      if (number === undefined) continue
      this.segments.set(number, active)
      this.segmentNumbers.set(active, number)
    }
  }

  /** From here on others have no number. */
  removeOthers(db: Database): void {
    const { all, remove } = prepareAll(db, sql)
    for (const row of all.all()) {
      const [part] = valuesIn(row)
      if (!this.numbers.has(String(part))) remove.run(String(part))
    }
  }

  readonly of = (condition: string): number | undefined => this.numbers.get(condition)

  readonly ofName = (name: string): number | undefined => this.numbers.get(nameOf(name))

  readonly ofSegment = (active: string): number | undefined => this.segmentNumbers.get(active)
}

/** Ids of conditions do not begin so. */
function nameOf(property: string): string {
  return `/${property}`
}

const sql = {
  find: 'SELECT number FROM state_parts WHERE part = ?',
  all: 'SELECT part FROM state_parts',
  remove: 'DELETE FROM state_parts WHERE part = ?',
  add: 'INSERT INTO state_parts (part) VALUES (?)',
}
