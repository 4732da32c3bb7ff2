import { logTimeAfter } from '../../../../domain/facts.js'
import { readFact } from '../../../../application/facts/fact-format.js'
import { meaningOf, type Fact } from '../../../../application/facts/fact-table.js'
import type { LoggedFact } from '../../../../application/facts/ports/fact-log.js'
import type { FactReader } from '../../file/fact-reader.js'

/** An entity, and where its own facts are in the log. Bodies are read when they are needed. */
export interface PickedEntity {
  readonly externalId: string
  /** In the order of the log; the creation is the first. */
  readonly positions: number[]
  /** Log time at each of them, in milliseconds since 1970. */
  readonly logTimes: number[]
}

const pageLimits = { facts: 1_000, bytes: 4_194_304 }

/**
 * Entities picked at random from the log itself, and the places of their facts: no index of the read
 * model is trusted with them. 16 bytes of memory for each fact of a picked entity.
 */
export class PickedEntities {
  private readonly picked: PickedEntity[] = []
  private readonly byExternalId = new Map<string, PickedEntity>()
  created = 0
  /** The position of the last fact that was looked at, and log time there; 0 before the first. */
  position = 0
  logTime = 0

  constructor(
    private readonly facts: FactReader,
    private readonly most: number,
    /** Log time at facts that came from one that is removed, in milliseconds since 1970. */
    private readonly floors: ReadonlyMap<string, number> = new Map(),
  ) {}

  get all(): readonly PickedEntity[] {
    return this.picked
  }

  has(externalId: string): boolean {
    return this.byExternalId.has(externalId)
  }

  /** Looks at the facts up to a position. May be called again for later ones. Throws `UnreadableFact`. */
  lookUntil(until: number): void {
    while (this.position < until) {
      const page = this.facts.page(this.position, until, pageLimits)
      if (page.length === 0) return
      for (const logged of page) {
        this.position = logged.position
        const fact = readFact(logged)
        if (fact !== undefined) this.lookAt(fact, logged)
      }
    }
  }

  private lookAt(fact: Fact, { id, streamStart }: LoggedFact): void {
    const meaning = meaningOf(fact)
    const floor = this.floors.get(id) ?? 0
    this.logTime = Math.max(floor, logTimeAfter(this.logTime, meaning))
    if (meaning.erases !== undefined) this.erase(meaning.erases.entityId, streamStart)
    if (meaning.entity === undefined) return
    const { externalId, effect } = meaning.entity
    if (effect.kind === 'created' && !this.has(externalId)) this.pick(externalId)
    const entity = this.byExternalId.get(externalId)
    entity?.positions.push(this.position)
    entity?.logTimes.push(this.logTime)
  }

  /** Nothing of it is to be found. Its creation was seen, unless that is removed. */
  private erase(entityId: string, streamStart = 0): void {
    const creation = this.facts.find(streamStart)
    const fact = creation && readFact(creation)
    if (fact?.type !== 'EntityCreated' || fact.id !== entityId) return
    this.created -= 1
    const { externalId } = fact.data
    const place = this.picked.findIndex((one) => one.externalId === externalId)
    if (place < 0) return
    this.picked.splice(place, 1)
    this.byExternalId.delete(externalId)
  }

  /** Each of those created so far is picked with the same chance: reservoir sampling. */
  private pick(externalId: string): void {
    this.created += 1
    const isRoom = this.picked.length < this.most
    const place = isRoom ? this.picked.length : Math.floor(Math.random() * this.created)
    if (place >= this.most) return
    const replaced = this.picked[place]
    if (replaced !== undefined) this.byExternalId.delete(replaced.externalId)
    const entity = { externalId, positions: [], logTimes: [] }
    this.picked[place] = entity
    this.byExternalId.set(externalId, entity)
  }
}
