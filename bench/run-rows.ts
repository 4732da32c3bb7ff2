import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { LoadProcess } from './load/load-process.js'
import type { Options } from './options.js'
import { startPostgres, type Postgres } from './servers/postgres.js'
import type { Progress } from './report/progress.js'
import type { RowReport } from './report/report.js'
import type { Bench, Row } from './rows/row.js'
import { Skipped } from './skipped.js'
import { Scope } from './scope.js'

/**
 * Runs rows one after another. A failure ends only its row. An interruption ends the run with an
 * error.
 */
export class RowRun {
  private cluster: Promise<Postgres> | undefined
  private load: Promise<LoadProcess> | undefined

  private constructor(
    private readonly options: Options,
    private readonly progress: Progress,
    private readonly scope: Scope,
    /** Resources that rows share. Closed after all rows. */
    private readonly shared: Scope,
  ) {}

  /** Creates a run whose resources all end with `scope`. */
  static async within(scope: Scope, options: Options, progress: Progress): Promise<RowRun> {
    const shared = new Scope()
    await scope.own(() => shared.close())
    return new RowRun(options, progress, scope, shared)
  }

  async report({ id, about, run }: Row): Promise<RowReport> {
    const { options, progress } = this
    progress.begin(id, 2 * options.slices)
    const scope = new Scope()
    await this.scope.own(() => scope.close())
    try {
      const result = await run(await this.benchIn(scope))
      await scope.close()
      return { id, about, outcome: 'measured', result }
    } catch (error) {
      if (this.scope.isClosing) throw error
      // Replaces the load process, because it may be in the middle of an order.
      this.load = undefined
      const outcome = error instanceof Skipped ? 'skipped' : 'failed'
      const reason = error instanceof Error ? error.message : String(error)
      progress.say(`${id}: ${outcome}: ${reason}`)
      return { id, about, outcome, reason }
    } finally {
      await scope.close().catch((error: unknown) => {
        progress.say(`${id}: ${String(error)}`)
      })
      progress.end()
    }
  }

  private async benchIn(scope: Scope): Promise<Bench> {
    const { options, progress } = this
    return {
      options,
      progress,
      scope,
      load: await (this.load ??= LoadProcess.start(this.shared)),
      folder: () => folderIn(scope),
      postgres: () => (this.cluster ??= startPostgres(this.shared)),
    }
  }
}

async function folderIn(scope: Scope): Promise<string> {
  const folder = mkdtempSync(`${tmpdir()}/dossier-bench-`)
  await scope.own(() => {
    rmSync(folder, { recursive: true, force: true })
    return Promise.resolve()
  })
  return folder
}
