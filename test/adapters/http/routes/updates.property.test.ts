import { isDeepStrictEqual } from 'node:util'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { z } from 'zod'
import type { StoredFact } from '../../../../src/application/facts/stored-fact.js'
import { quickOrThorough } from '../../../support/thoroughness.js'
import { httpService, StoppedClock, type HttpService } from '../../../support/http-service.js'
import { patch, post } from '../../../support/post.js'

type Members = Readonly<Record<string, unknown>>

interface Command {
  readonly kind: 'create' | 'update' | 'upsert'
  readonly entity: string
  readonly key: string | undefined
  readonly set: Members
  readonly unset: readonly string[]
}

/** A stored fact of an entity, in position order. */
interface Kept {
  readonly command: 'create-entity' | 'update-entity'
  readonly key: string | undefined
  readonly created: boolean
  readonly set: Members
  readonly unset: readonly string[]
  readonly position: number
  readonly body: unknown
}

/** The facts by entity. Immutable, because two orders are tried from one state. */
type Model = ReadonlyMap<string, readonly Kept[]>

interface Reply {
  readonly status: number
  readonly body: unknown
  readonly position: number
  readonly replayed: boolean
}

const name = fc.constantFrom('a', 'b', 'constructor')
const value = fc.constantFrom<unknown[]>(null, 0, 1, 'x', [1, 2], { c: 1, d: [] })
const command: fc.Arbitrary<Command> = fc
  .record({
    kind: fc.constantFrom('create' as const, 'update' as const, 'upsert' as const),
    entity: fc.constantFrom('ada', 'bob'),
    key: fc.constantFrom(undefined, 'k', 'l'),
    set: fc.dictionary(name, value, { maxKeys: 2, noNullPrototype: true }),
    unset: fc.array(name, { maxLength: 2 }),
  })
  .map((drawn) => {
    const unset = drawn.unset.filter((one) => !Object.hasOwn(drawn.set, one))
    const nothing = unset.length === 0 && Object.keys(drawn.set).length === 0
    return { ...drawn, unset: nothing ? ['z'] : unset }
  })
/** Each step has one command, or two that are sent at the same time. */
const steps = fc.array(fc.array(command, { minLength: 1, maxLength: 2 }), { maxLength: 14 })

const replyBody = z.object({ status: z.string(), data: z.unknown().optional() })

async function send({ server }: HttpService, sent: Command): Promise<Reply> {
  const { kind, entity, key, set, unset } = sent
  const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key }
  const reply =
    kind === 'create'
      ? await post(server, '/entities', { external_id: entity, properties: set }, headers)
      : await patch(server, entity, { set, unset, upsert: kind === 'upsert' }, headers)
  return {
    status: reply.statusCode,
    body: replyBody.parse(reply.json()).data,
    position: Number(reply.headers['position']),
    replayed: reply.headers['idempotency-replayed'] === 'true',
  }
}

/** Returns the model after the command if it explains the reply, otherwise undefined. */
function explain(model: Model, sent: Command, reply: Reply, time: string): Model | undefined {
  const kept = model.get(sent.entity) ?? []
  const command = sent.kind === 'create' ? 'create-entity' : 'update-entity'
  const first = kept.find((one) => sent.key && one.key === sent.key && one.command === command)
  if (first !== undefined) return explainsRepeat(first, sent, reply) ? model : undefined
  const created = kept.length === 0
  const refused = refusalOf(sent, created)
  if (refused !== undefined) return reply.status === refused ? model : undefined
  const stored = { ...sent, command, created, position: reply.position, body: reply.body } as const
  if (!explainsStored(stored, reply, time) || !(reply.position > headOf(model))) return undefined
  return new Map(model).set(sent.entity, [...kept, stored])
}

function refusalOf({ kind }: Command, isNew: boolean): number | undefined {
  if (kind === 'create') return isNew ? undefined : 409
  return kind === 'update' && isNew ? 404 : undefined
}

function headOf(model: Model): number {
  return Math.max(0, ...[...model.values()].flat().map(({ position }) => position))
}

function explainsRepeat(first: Kept, sent: Command, reply: Reply): boolean {
  const sameNames = isDeepStrictEqual(new Set(first.unset), new Set(sent.unset))
  const same = isDeepStrictEqual(first.set, sent.set) && (first.created || sameNames)
  if (!same) return reply.status === 422 && !reply.replayed
  return (
    reply.replayed &&
    reply.status === (first.created ? 201 : 200) &&
    reply.position === first.position &&
    isDeepStrictEqual(reply.body, first.body)
  )
}

function explainsStored(stored: Command & Kept, reply: Reply, time: string): boolean {
  const { entity, set, unset, created } = stored
  const body = created
    ? { external_id: entity, properties: set, created_at: time }
    : { external_id: entity, set, unset, updated_at: time }
  const status = created ? 201 : 200
  return !reply.replayed && reply.status === status && isDeepStrictEqual(reply.body, body)
}

/** Returns a model in which the replies of both clients are correct, in one order or the other. */
function explainBoth(model: Model, told: readonly (readonly [Command, Reply])[], time: string) {
  for (const order of [told, told.toReversed()]) {
    let after: Model | undefined = model
    for (const [sent, reply] of order) after = after && explain(after, sent, reply, time)
    if (after !== undefined) return after
  }
  throw new Error(`no order explains ${JSON.stringify(told)}`)
}

/** Returns an entity's properties after these changes. */
function fold(changes: readonly { set: Members; unset: readonly string[] }[]): Members {
  const properties = new Map<string, unknown>()
  for (const { set, unset } of changes) {
    for (const [member, given] of Object.entries(set)) properties.set(member, given)
    for (const member of unset) properties.delete(member)
  }
  return Object.fromEntries(properties)
}

const factData = z.union([
  z.object({
    externalId: z.string(),
    set: z.record(z.string(), z.unknown()),
    unset: z.array(z.string()),
  }),
  z
    .object({ externalId: z.string(), properties: z.record(z.string(), z.unknown()) })
    .transform(({ externalId, properties }) => ({ externalId, set: properties, unset: [] })),
])

async function play(
  service: HttpService,
  clock: StoppedClock,
  sent: readonly (readonly Command[])[],
): Promise<Model> {
  let model: Model = new Map()
  for (const [n, pair] of sent.entries()) {
    clock.time = new Date(Date.UTC(2026, 10, 20, 0, 0, n)).toISOString()
    const replies = await Promise.all(
      pair.map(async (one) => [one, await send(service, one)] as const),
    )
    model = explainBoth(model, replies, clock.time)
  }
  return model
}

function expectStored(model: Model, factsOf: (entity: string) => readonly StoredFact[]): void {
  for (const [entity, kept] of model) {
    const facts = factsOf(entity).map((fact) => ({
      type: fact.type,
      ...factData.parse(JSON.parse(fact.data)),
    }))
    const said = kept.map(({ created, set, unset }) => ({
      type: created ? 'EntityCreated' : 'EntityPropertiesChanged',
      externalId: entity,
      set,
      unset: created ? [] : unset,
    }))
    expect(facts).toEqual(said)
    expect(fold(facts)).toEqual(fold(said))
  }
}

test('creations, changes and upserts of two clients, including repeats, are answered and stored as in some sequential order', async () => {
  let runs = 0
  const clock = new StoppedClock()
  const service = httpService({ clock })
  await fc.assert(
    fc.asyncProperty(steps, async (drawn) => {
      const prefix = `${String((runs += 1))}-`
      const own = drawn.map((pair) => pair.map((one) => ({ ...one, entity: prefix + one.entity })))
      const model = await play(service, clock, own)
      expectStored(model, (entity) => service.store.read(`entity-${entity}`))
    }),
    { numRuns: quickOrThorough({ quick: 12, thorough: 300 }) },
  )
  await service.server.close()
})
