import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { join } from 'node:path'
import type { JsonObject } from '../../../../../src/domain/json.js'
import { entityStream } from '../../../../../src/domain/entity.js'
import {
  naiveDictionary,
  naiveTotals,
  sortedDictionary,
  sortedTotals,
  type NaiveEntity,
  type NaiveEvent,
} from '../../../../support/read-model/naive-dictionary.js'
import type { AnyLogFact } from '../../../../support/segments/log-facts.js'
import { DrivenProjections } from '../../../../support/segments/driven-projections.js'
import { FactsFile } from '../../../../support/segments/facts-file.js'
import { temporaryFolders } from '../../../../support/temporary-folder.js'
import { quickOrThorough } from '../../../../support/thoroughness.js'

const folder = temporaryFolders()
const numRuns = quickOrThorough({ quick: 8, thorough: 1_000 })

const start = Date.UTC(2026, 10, 20)
const dayMs = 86_400_000
const iso = (milliseconds: number) => new Date(milliseconds).toISOString()
const sinceDay = start / dayMs - 3
const untilDay = start / dayMs + 30
const days = Array.from({ length: untilDay - sinceDay }, (_, index) =>
  iso((sinceDay + index) * dayMs).slice(0, 10),
)

const names = fc.constantFrom('a', 'b/c', 'd~e', 'f"g', 'h\\', 'ü', ' ', '\u0001', '7', '$&')
const scalars = fc.oneof(
  fc.constantFrom('', 'text', 'with "quotes"', 'ends\\', '},{"a":1', '\n', true, false, null),
  fc.constantFrom(0, -1, 1.5, 1e21, 1e-7),
)
const nested = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, scalars, tie('object'), fc.array(scalars)),
  object: fc.dictionary(names, tie('value'), { maxKeys: 3 }),
}))
/** Properties that many events share, so that their shapes are found again. */
const frequent = fc.constantFrom<JsonObject>(
  {},
  { total: 1, item: 'x' },
  { total: 2.5, item: 'y "z"' },
  { total: -3, item: null },
  { item: 'x', total: 1 },
  { total: true, item: 'x', 'b/c': null },
)
const properties = fc.oneof(frequent, nested.object as fc.Arbitrary<JsonObject>)

type Step =
  | {
      readonly kind: 'change'
      readonly entity: string
      readonly set: JsonObject
      readonly unset: readonly string[]
    }
  | ({ readonly kind: 'event'; readonly entity: string; readonly days: number } & Pick<
      NaiveEvent,
      'name'
    > & {
        readonly properties: JsonObject
        readonly times: number
      })
  | { readonly kind: 'void'; readonly entity: string; readonly which: number }
  | { readonly kind: 'erase' | 'lose'; readonly entity: string }
  | { readonly kind: 'work' | 'rebuild' }

const entities = fc.constantFrom('ada', 'bob', 'cy')
const eventNames = fc.constantFrom('buy', 'login', '__proto__', 'constructor', 'a "name"')
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('change' as const),
      entity: entities,
      set: properties,
      unset: fc.uniqueArray(names, { maxLength: 2 }),
    }),
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('event' as const),
        entity: entities,
        days: fc.integer({ min: -2, max: 3 }),
        name: eventNames,
        properties,
        times: fc.constantFrom(1, 1, 2, 12, 70),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('void' as const),
        entity: entities,
        which: fc.nat(99),
      }),
    },
    fc.record({ kind: fc.constantFrom('erase' as const, 'lose' as const), entity: entities }),
    fc.record({ kind: fc.constantFrom('work' as const, 'work' as const, 'rebuild' as const) }),
  ),
  { maxLength: 30 },
)

interface KnownEvent extends NaiveEvent {
  readonly id: string
  readonly recordedAt: string
}

interface KnownEntity extends NaiveEntity {
  readonly id: string
  readonly events: readonly KnownEvent[]
}

/** Plays steps into a read model, and keeps the entities that exist. */
class Play {
  readonly known = new Map<string, KnownEntity>()
  private position = 0
  private readonly driven: DrivenProjections

  constructor(path: string, isEmbedded: boolean) {
    const file = isEmbedded ? new FactsFile(join(path, 'facts.db')) : undefined
    this.driven = new DrivenProjections(join(path, 'read-model.db'), undefined, 0, file)
  }

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'change':
        this.change(step)
        return
      case 'event':
        for (let time = 0; time < step.times; time += 1) this.event(step)
        return
      case 'void':
        this.void(step)
        return
      case 'erase':
      case 'lose':
        this.erase(step.entity, step.kind === 'lose')
        return
      case 'work':
        await this.driven.work(3)
        return
      case 'rebuild':
        await this.driven.rebuild(3)
    }
  }

  private change({ entity, set, unset }: Extract<Step, { kind: 'change' }>): void {
    const { id, properties: before, ...known } = this.created(entity)
    const kept = Object.entries(before).filter(([name]) => !unset.includes(name))
    const changes = Object.fromEntries(
      Object.entries(set).filter(([name]) => !unset.includes(name)),
    )
    this.known.set(entity, {
      ...known,
      id,
      properties: { ...Object.fromEntries(kept), ...changes },
    })
    const data = { externalId: entity, set: changes, unset, changedAt: this.now }
    this.add(entity, { type: 'EntityPropertiesChanged', data })
  }

  private event({
    entity,
    days: later,
    name,
    properties: own,
  }: Extract<Step, { kind: 'event' }>): void {
    const { events, ...known } = this.created(entity)
    const recordedAt = this.now
    const occurredAt = iso(Date.parse(recordedAt) + later * dayMs)
    const data = { entityExternalId: entity, name, properties: own, recordedAt, occurredAt }
    const id = this.add(entity, { type: 'EventRecorded', data })
    const event = { id, name, properties: own, recordedAt, occurredAt, isVoided: false }
    this.known.set(entity, { ...known, events: [...events, event] })
  }

  /** Voids an event, which may be voided already. */
  private void({ entity, which }: Extract<Step, { kind: 'void' }>): void {
    const { events, ...known } = this.created(entity)
    const index = which % events.length
    const event = events[index]
    if (event === undefined) return
    this.known.set(entity, { ...known, events: events.with(index, { ...event, isVoided: true }) })
    const { id: eventId, name, recordedAt, occurredAt } = event
    const times = { recordedAt, occurredAt, voidedAt: this.now }
    this.add(entity, { type: 'EventVoided', data: { externalId: entity, eventId, name, ...times } })
  }

  private created(entity: string): KnownEntity {
    const known = this.known.get(entity)
    if (known !== undefined) return known
    const createdAt = this.now
    const id = this.add(entity, {
      type: 'EntityCreated',
      data: { externalId: entity, properties: { plan: 'free' }, createdAt },
    })
    const created = { id, createdAt, properties: { plan: 'free' }, events: [] }
    this.known.set(entity, created)
    return created
  }

  /** Erases an entity. With `isLost`, the store removes the facts before the read model subtracts them. */
  private erase(entity: string, isLost: boolean): void {
    const known = this.known.get(entity)
    if (known === undefined) return
    this.known.delete(entity)
    this.driven.erase(known.id, this.now)
    if (isLost) this.driven.removeFacts(known.id, 'stubs')
    this.position += 1
  }

  private get now(): string {
    return iso(start + this.position * 3_600_000)
  }

  private add(entity: string, fact: Pick<AnyLogFact, 'type' | 'data'>): string {
    this.position += 1
    const id = `01a1ff14-0000-7000-8000-${String(this.position).padStart(12, '0')}`
    const logged = { ...fact, id, position: this.position, stream: entityStream(entity) }
    this.driven.add(logged as Parameters<DrivenProjections['add']>[0])
    return id
  }

  async settled() {
    await this.driven.settle()
    const query = { since: sinceDay, until: untilDay }
    const dictionary = sortedDictionary(await this.driven.query('dictionary', {}))
    return { dictionary, totals: sortedTotals(await this.driven.query('totals', query)) }
  }

  rebuild(): Promise<void> {
    return this.driven.rebuild()
  }

  close(): void {
    this.driven.close()
  }
}

it.each([
  ['an embedded store', true],
  ['a store whose facts the read model keeps', false],
])(
  'the counts are those of the facts that exist, also after a rebuild, over %s',
  async (_, isEmbedded) => {
    await fc.assert(
      fc.asyncProperty(steps, async (some) => {
        const play = new Play(folder(), isEmbedded)
        try {
          for (const step of some) await play.take(step)
          const known = [...play.known.values()]
          const expected = {
            dictionary: sortedDictionary(naiveDictionary(known)),
            totals: sortedTotals(naiveTotals(known, days)),
          }
          expect(await play.settled()).toEqual(expected)
          await play.rebuild()
          expect(await play.settled()).toEqual(expected)
        } finally {
          play.close()
        }
      }),
      { numRuns },
    )
  },
  300_000,
)
