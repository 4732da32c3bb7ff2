import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as immediate } from 'node:timers/promises'
import type { SqliteProjections } from '../../../src/adapters/sqlite/read-model/sqlite-projections.js'
import type { LoggedFact } from '../../../src/application/facts/ports/fact-log.js'
import type {
  Queries,
  QueryName,
  QueryOf,
  AnswerOf,
} from '../../../src/application/reading/ports/read-model.js'
import { CheckedLoans } from './checked-loans.js'
import { openedProjections } from './driven-projections.js'

/**
 * The end of a read model. `killed` keeps the files as they are at that moment, `failed` rolls back uncommitted
 * changes, and `closed` loses nothing.
 */
export type Ending = 'killed' | 'failed' | 'closed'

/** The projections of a read model in a file. They can end at any moment and continue from the file. */
export class CrashingProjections {
  private projections: SqliteProjections
  private path: string
  private copies = 0
  private readonly loans = new CheckedLoans()

  /** Opens `read-model-0.db` of the folder, or creates it. */
  constructor(
    private readonly folder: string,
    /** The facts in the store. */
    private log: readonly LoggedFact[],
    /** The length of a slice of work in milliseconds. 0: a slice is one unit of work. */
    private readonly sliceMs?: number,
  ) {
    this.path = join(folder, 'read-model-0.db')
    this.projections = this.opened()
    if (this.projections.isBuilding) this.projections.finishBuild()
  }

  /** Applies new facts for this many slices. Returns false when some are left. */
  catchUp(slices = Infinity): boolean {
    const { position } = this.projections.checkpoint
    let left: readonly LoggedFact[] = this.log.filter((fact) => fact.position > position)
    for (let slice = 0; slice < slices && left.length > 0; slice += 1) {
      left = this.projections.apply(left)
    }
    this.projections.workOn()
    return left.length === 0
  }

  /** Replaces the facts in the store. */
  follow(log: readonly LoggedFact[]): void {
    this.log = log
  }

  /** The position of the last applied fact. */
  get position(): number {
    return this.projections.checkpoint.position
  }

  /** Runs at most this many steps of background work. Returns the number of steps. */
  async work(most: number): Promise<number> {
    this.projections.workOn()
    let ticks = 0
    for (; ticks < most && this.projections.isWorking; ticks += 1) await immediate()
    return ticks
  }

  /** Ends, opens the file again, and continues from the stored position. */
  end(how: Ending): void {
    if (how === 'failed') this.projections.reopen()
    else this.replace(how)
    this.catchUp()
  }

  private replace(how: 'killed' | 'closed'): void {
    const before = this.path
    if (how === 'killed') {
      this.copies += 1
      this.path = join(this.folder, `read-model-${String(this.copies)}.db`)
      for (const ending of ['', '-wal', '-copying']) {
        if (existsSync(`${before}${ending}`)) {
          copyFileSync(`${before}${ending}`, `${this.path}${ending}`)
        }
      }
    }
    this.projections.close()
    this.projections = this.opened()
  }

  private opened(): SqliteProjections {
    return openedProjections(this.path, undefined, this.sliceMs, undefined, this.loans.lent)
  }

  async query<Name extends QueryName>(
    name: Name,
    query: QueryOf<Name>,
  ): Promise<Queries[Name]['answer']> {
    return (await this.answer(name, query)).value
  }

  /** Answers a query, with the position and the log time of the answer. */
  async answer<Name extends QueryName>(name: Name, query: QueryOf<Name>): Promise<AnswerOf<Name>> {
    const answer = await this.projections.answer(name, query)
    this.loans.check(name, query, answer.value)
    return answer
  }

  close(): void {
    this.projections.close()
  }
}
