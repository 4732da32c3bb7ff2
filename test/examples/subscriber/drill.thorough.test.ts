import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { DoubleProcess } from '../../support/double-process.js'
import { FactWriter } from '../../support/fact-writer.js'
import { temporaryFolders } from '../../support/temporary-folder.js'
import { startProgram, type Program } from '../online-retail/program.js'
import { endedAfterEach } from './ended-after-each.js'

const makeFolder = temporaryFolders()

const program = '.build/examples/subscriber/main.js'
const seed = 20_261_121
const killsOfItself = 8
const otherKills = 6
/** Programs start one after the other; a busy machine takes its time for each. */
const manyStartsMs = 120_000

const { started, cleanUp } = endedAfterEach()

/** Numbers from 0 to below 1, the same ones for the same seed (mulberry32). */
function randomFrom(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function shuffled<T>(items: readonly T[], random: () => number): readonly T[] {
  return items
    .map((item) => ({ item, place: random() }))
    .toSorted((left, right) => left.place - right.place)
    .map(({ item }) => item)
}

/** Writes without a pause and knows exactly what is stored. */
class Writing {
  readonly tally = new Map<string, number>()
  private written = 0
  private over = false
  private waiting: { readonly at: number; readonly go: () => void }[] = []
  private readonly loops: readonly Promise<void>[]

  constructor(
    private readonly writer: FactWriter,
    private readonly customers: readonly string[],
    private readonly random: () => number,
  ) {
    this.loops = Array.from({ length: 6 }, () => this.write())
  }

  /** Resolves when so many more are stored. */
  more(count: number): Promise<void> {
    return new Promise((go) => {
      this.waiting.push({ at: this.written + count, go })
    })
  }

  async end(): Promise<void> {
    this.over = true
    await Promise.all(this.loops)
  }

  private async write(): Promise<void> {
    while (!this.over) {
      const customer = this.customers[Math.floor(this.random() * this.customers.length)] ?? ''
      const now = new Date(Date.UTC(2026, 10, 1 + Math.floor(this.random() * 5), 23, 59))
      await this.writer.recordSurely(customer, 'purchase', now)
      const row = `${now.toISOString().slice(0, 10)}\t${customer}`
      this.tally.set(row, (this.tally.get(row) ?? 0) + 1)
      this.written += 1
      for (const { go } of this.waiting.filter(({ at }) => at <= this.written)) go()
      this.waiting = this.waiting.filter(({ at }) => at > this.written)
    }
  }
}

function start(args: readonly string[]): Program {
  return started(startProgram(program, args, {}))
}

it(
  `kills of itself, of the connection and of the server: the counts are exact (seed ${String(seed)})`,
  async () => {
    const random = randomFrom(seed)
    const kills = shuffled(
      ['itself', 'connection', 'server'].flatMap((what, index) =>
        Array.from({ length: index === 0 ? killsOfItself : otherKills }, () => what),
      ),
      random,
    )
    const double = await DoubleProcess.start()
    cleanUp.push(() => double.end())
    const writer = new FactWriter(double.connectionString)
    cleanUp.push(() => writer.close())
    const customers = ['17850', 'Zoë Ågren', 'entity-9', 'a b/c', '客户']
    for (const customer of customers) await writer.create(customer)
    const writing = new Writing(writer, customers, random)
    cleanUp.push(() => writing.end())
    await writing.more(150)

    const database = join(makeFolder(), 'view.db')
    const following = ['--url', double.connectionString, '--database', database]
    const signals: (string | null)[] = []
    let subscriber = start(following)
    for (const what of kills) {
      // Sometimes it is met while it catches up, sometimes when it follows live.
      const live = random() < 0.6
      await subscriber.lineWith(live ? 'caught up' : 'fact')
      await writing.more(1 + Math.floor(random() * 25))
      if (what === 'connection') await double.tell('drop-connections')
      else if (what === 'server') await double.tell('restart')
      else {
        subscriber.child.kill('SIGKILL')
        signals.push((await subscriber.ended).signal)
        subscriber = start(following)
      }
    }
    await subscriber.lineWith('caught up')
    await writing.end()
    subscriber.child.kill('SIGTERM')
    expect(await subscriber.ended).toMatchObject({ code: 0, err: '' })
    expect(signals).toEqual(Array.from({ length: killsOfItself }, () => 'SIGKILL'))

    expect(await start([...following, '--once']).ended).toMatchObject({ code: 0, err: '' })
    const { out } = await start(['--database', database, '--report']).ended
    const rows = [...writing.tally].map(([row, events]) => `${row}\t${String(events)}`)
    expect(out.trimEnd().split('\n').slice(1).toSorted()).toEqual(rows.toSorted())
  },
  manyStartsMs,
)
