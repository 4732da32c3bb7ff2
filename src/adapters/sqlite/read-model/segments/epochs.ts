import { prepareRows, type Database, type Statement } from '../../file/driver.js'
import { numberIn, valuesIn } from '../../file/row.js'
import type { Conditions } from './known-conditions.js'
import type { KnownConditions } from './state-text.js'

type Kind = 'name' | 'condition'

/**
 * Since when what the rules look at has been kept without a break. A state that was written before says
 * nothing of it: the rule that it was written for is gone, and what came after was not taken in.
 */
export class Epochs {
  private readonly statements: ReturnType<typeof prepare>

  constructor(db: Database) {
    this.statements = prepare(db)
  }

  /** From now on this is kept, and nothing else. */
  keep({ names, conditions, segments }: Conditions): KnownConditions {
    const next = this.last + 1
    const namesSince = this.keepOf('name', names, next)
    const conditionsSince = this.keepOf('condition', conditions, next)
    return { names: namesSince, conditions: conditionsSince, segments, epoch: this.last }
  }

  /** The same of what is kept already; writes nothing. */
  known({ names, conditions, segments }: Conditions): KnownConditions {
    const namesSince = this.sinceOf('name', names)
    const conditionsSince = this.sinceOf('condition', conditions)
    return { names: namesSince, conditions: conditionsSince, segments, epoch: this.last }
  }

  private sinceOf(kind: Kind, wanted: ReadonlySet<string>): ReadonlyMap<string, number> {
    const rows = this.statements.all.all(kind).map(valuesIn)
    return new Map(
      rows.flatMap(([id, epoch]) => (wanted.has(String(id)) ? [[String(id), Number(epoch)]] : [])),
    )
  }

  private get last(): number {
    return numberIn(this.statements.last.get()) ?? 0
  }

  private keepOf(
    kind: Kind,
    wanted: ReadonlySet<string>,
    next: number,
  ): ReadonlyMap<string, number> {
    const { all, forget, begin, move } = this.statements
    const since = new Map<string, number>()
    for (const row of all.all(kind)) {
      const [id, epoch] = valuesIn(row)
      if (wanted.has(String(id))) since.set(String(id), Number(epoch))
      else forget.run(kind, String(id))
    }
    for (const id of wanted) {
      if (since.has(id)) continue
      begin.run(kind, id, next)
      since.set(id, next)
      move.run(next)
    }
    return since
  }
}

function prepare(db: Database) {
  return {
    last: prepareRows(db, 'SELECT epoch FROM last_epoch'),
    move: db.prepare('UPDATE last_epoch SET epoch = ?'),
    all: prepareRows(db, 'SELECT id, epoch FROM epochs WHERE kind = ?'),
    begin: db.prepare('INSERT INTO epochs VALUES (?, ?, ?)'),
    forget: db.prepare('DELETE FROM epochs WHERE kind = ? AND id = ?'),
  } satisfies Record<string, Statement>
}
