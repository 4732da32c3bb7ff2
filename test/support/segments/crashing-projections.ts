import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SqliteProjections } from '../../../src/adapters/sqlite/read-model/sqlite-projections.js'
import type { LoggedFact } from '../../../src/application/facts/ports/fact-log.js'
import type { Queries, QueryName } from '../../../src/application/reading/ports/read-model.js'
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
    private readonly log: readonly LoggedFact[],
  ) {
    this.path = join(folder, 'read-model-0.db')
    this.projections = openedProjections(this.path)
    if (this.projections.isBuilding) this.projections.finishBuild()
  }

  /** Applies all that it does not know yet. */
  catchUp(): void {
    const { position } = this.projections.checkpoint
    const facts = this.log.filter((fact) => fact.position > position)
    if (facts.length > 0) this.projections.apply(facts)
    this.projections.workOn()
  }

  /** At most so many steps of what goes on by itself; how many there were. */
  async work(most: number): Promise<number> {
    this.projections.workOn()
    let turns = 0
    for (; turns < most && this.projections.isWorking; turns += 1) await nextTurn()
    return turns
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
    this.projections = openedProjections(this.path)
  }

  async ask<Name extends QueryName>(
    name: Name,
    query: Queries[Name]['ask'],
  ): Promise<Queries[Name]['answer']> {
    return (await this.projections.answer(name, query)).value
  }

  close(): void {
    this.projections.close()
  }
}
