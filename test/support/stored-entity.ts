import { randomUUID } from 'node:crypto'
import { toStored } from '../../src/application/facts/fact-format.js'
import type { Fact } from '../../src/application/facts/fact-table.js'
import type { Append } from '../../src/application/recording/ports/event-store.js'
import { changeProperties, createEntity } from '../../src/domain/entity.js'
import { recordEvent } from '../../src/domain/event.js'
import type { Decision } from '../../src/domain/facts.js'

/** Returns appends that create an entity and record this many events, with a property change in the middle. */
export function storedEntity(externalId: string, events: number): readonly Append[] {
  const now = new Date()
  const create = createEntity({
    factId: randomUUID(),
    externalId,
    properties: { plan: 'free' },
    now,
  })
  const change = changeProperties({
    factId: randomUUID(),
    externalId,
    set: { plan: 'paid' },
    unset: [],
    now,
  })
  const recorded = Array.from({ length: events }, (_, n) =>
    recordEvent({
      factId: randomUUID(),
      entityExternalId: externalId,
      name: n % 2 === 0 ? 'buy' : 'login',
      properties: { n },
      occurredAt: n % 3 === 0 ? new Date(now.getTime() - n * 1_000) : undefined,
      now,
    }),
  )
  const middle = Math.floor(events / 2)
  return [create, ...recorded.slice(0, middle), change, ...recorded.slice(middle)].map(appendOf)
}

function appendOf({ stream, expected, facts }: Decision<Fact>): Append {
  const context = { requestId: 'request-1', keyHash: undefined }
  return { stream, expected, facts: facts.map((fact) => toStored(fact, context)) }
}
