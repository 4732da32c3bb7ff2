import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { Random } from '../../../../fault-injection/random.js'
import { EventStoreDouble } from '../../../support/eventstoredb/event-store-double.js'
import { nextLook } from '../../../support/next-look.js'
import { temporaryFolders } from '../../../support/temporary-folder.js'
import { startProgram, type Ended, type Program } from '../../online-retail/program.js'
import { endedAfterEach } from '../ended-after-each.js'
import { apiKey, ServiceDouble } from './service-double.js'
import { EventStoreDbFacts, MemoryFacts } from './told-log.js'
import { ToldSegment } from './told-segment.js'

const makeFolder = temporaryFolders()
const kills = 12
const seed = 20_261_122
const entities = 30

const { started, cleanUp } = endedAfterEach()

interface World {
  readonly segment: ToldSegment
  readonly service: ServiceDouble
  readonly args: readonly string[]
  readonly breakOff: () => void
}

async function overHttp(): Promise<World> {
  const facts = new MemoryFacts()
  const segment = new ToldSegment(facts, entities)
  const service = await ServiceDouble.start(segment, facts)
  cleanUp.push(() => service.close())
  const breakOff = () => {
    service.breakStreams()
  }
  return { segment, service, args: [], breakOff }
}

async function overEventStoreDb(): Promise<World> {
  const double = await EventStoreDouble.start()
  cleanUp.push(() => double.close())
  const facts = new EventStoreDbFacts(double.connectionString)
  cleanUp.push(() => facts.close())
  const segment = new ToldSegment(facts, entities)
  const service = await ServiceDouble.start(segment)
  cleanUp.push(() => service.close())
  const breakOff = () => {
    double.dropSubscriptions()
  }
  return { segment, service, args: ['--url', double.connectionString], breakOff }
}

/** What happens to the segment, to its service and to the connections, one thing after another. */
class Happening {
  /** From where on the mirror knows who entered, once it has said so. */
  since: bigint | undefined

  constructor(
    private readonly world: World,
    private readonly random: Random,
  ) {}

  async some(steps: number): Promise<void> {
    for (let step = 0; step < steps; step += 1) {
      await this.one()
      if (this.random.next() < 0.3) await nextLook()
    }
  }

  /** The segment is served, and all is told. */
  async comeToRest(): Promise<void> {
    const { segment, service } = this.world
    service.faultOf = () => undefined
    if (segment.served === undefined) await this.build()
    await segment.tell()
  }

  private async one(): Promise<void> {
    const { segment } = this.world
    const chance = this.random.next()
    if (chance < 0.4) await segment.change(...this.few())
    else if (chance < 0.8) await segment.tell(this.random.between(1, 4))
    else if (chance < 0.85) await segment.recordSomething()
    else if (chance < 0.9) await this.tellAgain()
    else if (chance < 0.93) this.break()
    else if (chance < 0.96) await this.build()
    else if (chance < 0.98) await segment.buildInVain(segment.version)
    else if (!segment.isRetired) await segment.retire()
  }

  private few(): readonly number[] {
    const count = this.random.between(1, 3)
    return Array.from({ length: count }, () => this.random.between(0, entities - 1))
  }

  private async build(): Promise<void> {
    const { segment } = this.world
    segment.define()
    const members = [...this.few(), ...this.few(), ...this.few(), ...this.few()]
    await segment.build(members, this.few())
  }

  private async tellAgain(): Promise<void> {
    const { since } = this
    if (since === undefined) return
    const { told } = this.world.segment
    const turns = told.filter(
      ({ fact, position }) => fact.type.startsWith('Entity') && position > since,
    )
    const again = turns[this.random.between(0, turns.length)]
    if (again !== undefined) await this.world.segment.tellAgain(again.fact)
  }

  private break(): void {
    const { service, breakOff } = this.world
    breakOff()
    const fault = this.random.next() < 0.5 ? 'reset' : { status: 503, code: 'overloaded' }
    service.faultOf = () => {
      service.faultOf = () => undefined
      return fault
    }
  }
}

function start(args: readonly string[]): Program {
  const path = '.build/examples/subscriber/mirror/main.js'
  return started(startProgram(path, args, { DOSSIER_KEY: apiKey }))
}

/** Between two pages of its first list. */
function killedInFirstList({ service }: World, args: readonly string[]): Promise<Ended> {
  const { child, ended } = start(args)
  let pages = 0
  service.beforeMembers = () => {
    pages += 1
    if (pages === 2) child.kill('SIGKILL')
    return Promise.resolve()
  }
  return ended
}

const sources = { 'the feed': overHttp, EventStoreDB: overEventStoreDb }

it.each(['the feed', 'EventStoreDB'] as const)(
  `killed while it follows %s: nobody enters twice, nobody is missed (seed ${String(seed)})`,
  async (source) => {
    const world = await sources[source]()
    const { segment, service } = world
    const random = new Random(seed)
    const happening = new Happening(world, random)
    segment.define()
    await segment.build([0, 1, 2, 3, 4, 5, 6])
    await segment.change(7, 8, 0)
    const database = join(makeFolder(), 'mirror.db')
    const following = ['--segment', segment.key, '--service', service.url.href]
    const args = [...following, ...world.args, '--database', database]
    const endings = [await killedInFirstList(world, args)]
    service.beforeMembers = () => Promise.resolve()
    let mirror = start([...args, '--compare', '1'])
    for (let kill = 0; kill < kills; kill += 1) {
      const begun = /begins with .* position (\d+)/.exec(await mirror.lineWith(' '))?.[1]
      if (begun !== undefined) happening.since = BigInt(begun)
      if (random.next() < 0.5) {
        // While it takes a list, where it comes to that.
        const { child } = mirror
        service.beforeMembers = () => {
          child.kill('SIGKILL')
          return Promise.resolve()
        }
      }
      await happening.some(random.between(1, 40))
      mirror.child.kill('SIGKILL')
      endings.push(await mirror.ended)
      service.beforeMembers = () => Promise.resolve()
      if (random.next() < 0.5) await happening.some(random.between(1, 20))
      mirror = start([...args, '--compare', '1'])
    }
    await mirror.lineWith('caught up')
    await happening.some(20)
    await happening.comeToRest()
    await mirror.lineWith(`digest ${segment.digest} equal`)
    mirror.child.kill('SIGTERM')
    expect(await mirror.ended).toMatchObject({ code: 0, err: '' })
    expect(endings.map(({ signal, err }) => ({ signal, err }))).toEqual(
      endings.map(() => ({ signal: 'SIGKILL', err: '' })),
    )

    const { out } = await start(['--database', database, '--report']).ended
    const rows = out
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'))
    const since = BigInt(rows[1]?.[3] ?? '')
    const members = rows.filter(([kind]) => kind === 'member').map(([, id]) => id)
    expect(members).toEqual(segment.members.toSorted())
    const entered = rows.filter(([kind]) => kind === 'entered').map(([, , , id]) => id)
    expect(entered).toEqual(segment.enteredSince(since))
    expect(entered.length).toBeGreaterThan(5)
  },
)
