import { copyFile } from 'node:fs/promises'
import { openDatabase, prepareRows } from '../../src/adapters/sqlite/file/driver.js'
import { valuesIn } from '../../src/adapters/sqlite/file/row.js'
import { valueOf } from '../../src/adapters/sqlite/file/schema.js'
import { Dossier } from '../../src/client/dossier.js'
import { dataFile, factsIn, startDossier, type Dossier as Server } from '../servers/dossier.js'
import { caughtUp, readsAnswered } from '../servers/read-readiness.js'
import { comparePrepared, prepare } from './compare.js'
import { fillFile } from './fill-file.js'
import type { Row } from './row.js'
import type { Subject } from './subject.js'

const person = 'the-person'

/** What writes lose while a person of many facts is removed. */
export const eraseBesideWrites: Row = {
  id: 'erase-beside-writes',
  about: 'POST /events while a person of many facts is erased / without',
  long: true,
  run: async (bench) => {
    const { options, progress, scope } = bench
    const load = { kind: 'event', connections: 64 } as const
    const entities = options.named
    const others = Math.ceil(options.erased / 4) + entities
    const folders = [await bench.folder(), await bench.folder()] as const
    const wanted = { facts: options.erased + others, entities, person, ofPerson: options.erased }
    await fillFile(dataFile(folders[0]), wanted, progress)
    await copyFile(dataFile(folders[0]), dataFile(folders[1]))
    const side = async (name: string, folder: string) => {
      const started = await startDossier({ name, folder }, scope)
      const server = { ...started, stored: () => othersIn(dataFile(folder)) }
      await readsAnswered(server)
      await caughtUp(server)
      const filled = { facts: factsIn(dataFile(folder)), entities }
      return { server, subject: await prepare(bench, { server, load, filled, named: entities }) }
    }
    const a = await side('while erasing', folders[0])
    const b = await side('without', folders[1])
    const removal = new Removal(a.server, dataFile(folders[0]))
    const comparison = await comparePrepared(bench, removal.beside(a.subject), b.subject)
    return {
      comparison,
      figures: [
        { name: 'facts of the person', value: options.erased, unit: '' },
        { name: 'facts removed', value: removal.removed, unit: '' },
        { name: 'facts removed a second', value: removal.perSecond, unit: '' },
        { name: 'until the first was removed', value: removal.beganAfterMs, unit: 'ms' },
      ],
    }
  },
}

/** Facts that the load had stored: those of erasures are more. */
function othersIn(path: string): number {
  const db = openDatabase(path, { readOnly: true })
  try {
    const types =
      "('EntityErased', 'EntityErasureRecorded', 'ErasedFactsRemoved', 'ErasurePlaceChecked')"
    return Number(valueOf(db, `SELECT count(*) FROM facts WHERE type NOT IN ${types}`))
  } finally {
    db.close()
  }
}

/** The removal goes on while a slice lasts; between two the server is stopped. */
class Removal {
  removed = 0
  beganAfterMs = 0
  private milliseconds = 0
  private removingMs = 0
  private isAsked = false

  constructor(
    private readonly server: Server,
    private readonly path: string,
  ) {}

  get perSecond(): number {
    return (this.removed * 1_000) / this.removingMs
  }

  beside(subject: Subject): Subject {
    return {
      name: subject.name,
      slice: async (seconds) => {
        process.kill(this.server.pid, 'SIGCONT')
        await this.begin()
        const begun = performance.now()
        try {
          return await subject.slice(seconds)
        } finally {
          process.kill(this.server.pid, 'SIGSTOP')
          this.took(performance.now() - begun)
        }
      },
      rss: () => subject.rss(),
      end: () => {
        process.kill(this.server.pid, 'SIGCONT')
        return subject.end()
      },
    }
  }

  private async begin(): Promise<void> {
    if (this.isAsked) return
    this.isAsked = true
    const { origin, key } = this.server
    await new Dossier({ url: origin, key }).erasures.begin(person)
  }

  private took(milliseconds: number): void {
    const before = this.removed
    this.removed = this.removedSoFar()
    this.milliseconds += milliseconds
    if (this.removed > before) this.removingMs += milliseconds
    else if (this.removed === 0) this.beganAfterMs = this.milliseconds
  }

  private removedSoFar(): number {
    const db = openDatabase(this.path, { readOnly: true })
    try {
      const [facts] = valuesIn(prepareRows(db, 'SELECT facts FROM erased').get())
      const counts = Object.values(JSON.parse(String(facts)) as Record<string, number>)
      return counts.reduce((sum, count) => sum + count, 0)
    } finally {
      db.close()
    }
  }
}
