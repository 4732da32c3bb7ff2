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
import { openedProjections } from './driven-projections.js'

/**
 * How the read model loses what it has not committed: `killed` as the files are at that moment, `failed`
 * by its own rollback, `closed` nothing.
 */
export type Ending = 'killed' | 'failed' | 'closed'

/** The projections of a read model in a file, which ends at any moment and goes on from what is kept. */
export class CrashingProjections {
  private projections: SqliteProjections
  private path: string
  private copies = 0

  /** Goes on with `read-model-0.db` of the folder, if there is one. */
  constructor(
    private readonly folder: string,
    /** What the store holds. */
    private log: readonly LoggedFact[],
    /** In milliseconds; 0: a slice is one piece of work. */
    private readonly sliceMs?: number,
  ) {
    this.path = join(folder, 'read-model-0.db')
    this.projections = this.opened()
    if (this.projections.isBuilding) this.projections.finishBuild()
  }

  /** Applies what it does not know yet, for so many slices; false: some of it is left. */
  catchUp(slices = Infinity): boolean {
    const { position } = this.projections.checkpoint
    let left: readonly LoggedFact[] = this.log.filter((fact) => fact.position > position)
    for (let slice = 0; slice < slices && left.length > 0; slice += 1) {
      left = this.projections.apply(left)
    }
    this.projections.workOn()
    return left.length === 0
  }

  /** The store holds something else from now on. */
  follow(log: readonly LoggedFact[]): void {
    this.log = log
  }

  /** Of the last fact that is applied. */
  get position(): number {
    return this.projections.checkpoint.position
  }

  /** At most so many steps of what goes on by itself; how many there were. */
  async work(most: number): Promise<number> {
    this.projections.workOn()
    let ticks = 0
    for (; ticks < most && this.projections.isWorking; ticks += 1) await immediate()
    return ticks
  }

  /** Ends, begins again, and follows the log from what was kept. */
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
    return openedProjections(this.path, undefined, this.sliceMs)
  }

  async query<Name extends QueryName>(
    name: Name,
    query: QueryOf<Name>,
  ): Promise<Queries[Name]['answer']> {
    return (await this.answer(name, query)).value
  }

  /** With the position and the log time of the answer. */
  answer<Name extends QueryName>(name: Name, query: QueryOf<Name>): Promise<AnswerOf<Name>> {
    return Promise.resolve(this.projections.answer(name, query))
  }

  close(): void {
    this.projections.close()
  }
}
