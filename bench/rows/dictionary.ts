import { existsSync, rmSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { openDatabase } from '../../src/adapters/sqlite/file/driver.js'
import { FactReader } from '../../src/adapters/sqlite/file/fact-reader.js'
import { Dictionary } from '../../src/adapters/sqlite/read-model/dictionary/dictionary.js'
import { SqliteProjections } from '../../src/adapters/sqlite/read-model/sqlite-projections.js'
import type { LoggedFact } from '../../src/application/facts/ports/fact-log.js'
import { median } from '../report/statistics.js'
import { measured } from '../segments/bench-read-model.js'
import { dataFile } from '../servers/dossier.js'
import { fillFile } from './fill-file.js'
import type { Row } from './row.js'

const facts = 200_000
const smokeFacts = 20_000
const pageLimits = { facts: 5_000, bytes: 4_194_304 }
/** The number of facts that are applied together after the rebuild, as in a busy service. */
const factsTogether = 100

/** The CPU time per fact in µs. */
interface Applied {
  readonly rebuild: number
  readonly live: number
}

/**
 * Measures the CPU time that the dictionary adds to the read model. Compares a read model with the dictionary's counts
 * to a read model without them.
 */
export const dictionary: Row = {
  id: 'dictionary',
  about: 'CPU of the read model for each fact, with the dictionary / without it',
  long: true,
  run: async (bench) => {
    const { options, progress } = bench
    const folder = await bench.folder()
    const count = options.smoke ? smokeFacts : facts
    await fillFile(dataFile(folder), { facts: count, entities: count / 10 }, progress)
    const pairs: { readonly counting: Applied; readonly plain: Applied }[] = []
    progress.begin('applying facts with and without the dictionary', options.slices + 1)
    // The first pair is a warm-up. The order changes from pair to pair.
    for (let slice = 0; slice <= options.slices; slice += 1) {
      const first = await applied(folder, slice % 2 === 0)
      const second = await applied(folder, slice % 2 === 1)
      const [counting, plain] = slice % 2 === 0 ? [first, second] : [second, first]
      if (slice > 0) pairs.push({ counting, plain })
      progress.done(1)
    }
    progress.end()
    const figure = (name: string, unit: string, values: readonly number[]) => ({
      name,
      value: median(values),
      unit,
    })
    return {
      figures: (['rebuild', 'live'] as const).flatMap((work) => [
        figure(
          `${work}, with`,
          'CPU µs a fact',
          pairs.map(({ counting }) => counting[work]),
        ),
        figure(
          `${work}, without`,
          'CPU µs a fact',
          pairs.map(({ plain }) => plain[work]),
        ),
        figure(
          `${work}, the dictionary adds`,
          '%',
          pairs.map(({ counting, plain }) => (counting[work] / plain[work] - 1) * 100),
        ),
      ]),
    }
  },
}

/** Rebuilds a read model from the first half of the facts, and then applies the second half as new facts. */
async function applied(folder: string, isCounting: boolean): Promise<Applied> {
  const restore = isCounting ? () => undefined : stopCounting()
  const path = `${folder}/read-model.db`
  removeReadModel(path)
  const db = openDatabase(dataFile(folder), { readOnly: true })
  const projections = openProjections(path, dataFile(folder))
  try {
    const reader = new FactReader(db)
    const head = reader.head()
    const half = Math.floor(head / 2)
    const built = await measured(async () => {
      await eachPage(reader, 0, half, (page) => {
        applyAll(projections, page)
      })
      projections.finishBuild()
    })
    const live = await measured(() =>
      eachPage(reader, half, head, (page) => {
        for (let from = 0; from < page.length; from += factsTogether) {
          applyAll(projections, page.slice(from, from + factsTogether))
        }
      }),
    )
    return { rebuild: built.cpu / half, live: live.cpu / (head - half) }
  } finally {
    projections.close()
    db.close()
    restore()
  }
}

const counted = ['addEntity', 'addEvent', 'addProfile', 'changeProfile', 'write'] as const

/** Replaces the methods that count. Returns a function that restores them. */
function stopCounting(): () => void {
  const methods = counted.map((name) => [name, Reflect.get(Dictionary.prototype, name)] as const)
  for (const name of counted) Reflect.set(Dictionary.prototype, name, () => undefined)
  return () => {
    for (const [name, method] of methods) Reflect.set(Dictionary.prototype, name, method)
  }
}

async function eachPage(
  reader: FactReader,
  after: number,
  until: number,
  take: (page: readonly LoggedFact[]) => void,
): Promise<void> {
  for (let last = after; last < until;) {
    const page = reader.page(last, until, pageLimits)
    last = page.at(-1)?.position ?? until
    take(page)
    await turn()
  }
}

function applyAll(projections: SqliteProjections, facts: readonly LoggedFact[]): void {
  for (let left = facts; left.length > 0;) left = projections.apply(left)
}

function openProjections(path: string, factsFile: string): SqliteProjections {
  const fail = ({ reason }: { readonly reason: string }) => {
    throw new Error(reason)
  }
  const onDropped = (reason: string) => fail({ reason })
  return SqliteProjections.open({ path, factsFile, onDropped, onDiverged: fail })
}

function removeReadModel(path: string): void {
  for (const end of ['', '-wal', '-shm']) {
    if (existsSync(path + end)) rmSync(path + end)
  }
}
