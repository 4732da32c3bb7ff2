import type { Random } from '../../../fault-injection/random.js'
import type { TimedFact } from '../segments/log-facts.js'
import type { Asked } from './replica-process.js'

/** The segment by hand whose members the load changes. */
export const handSegment = 'testers'

/** A write with a serial number, which its fact contains. */
export interface Write {
  readonly serial: number
  readonly path: string
  readonly asked: Asked
  /** Whether the write has an idempotency key, so that it is repeated until it is stored. */
  readonly isKeyed: boolean
}

/**
 * The minimum age of an event when it is recorded, in milliseconds. So the event soon leaves a window of one minute.
 */
const minAgeMs = 51_000
const maxAgeMs = 59_900

export function creation(externalId: string, serial: number): Write {
  const body = { external_id: externalId, properties: { serial } }
  return {
    serial,
    path: '/entities',
    asked: keyed(serial, { method: 'POST', body }),
    isKeyed: true,
  }
}

/** Returns a random write. Half are logins, others change a property or a segment by hand. */
export function randomWrite(random: Random, entity: string, serial: number): Write {
  const { path, asked } = randomAsked(random, entity, serial)
  const isKeyed = random.next() < 0.7
  return { serial, path, asked: isKeyed ? keyed(serial, asked) : asked, isKeyed }
}

function randomAsked(random: Random, entity: string, serial: number) {
  const kind = random.next()
  if (kind < 0.55) {
    const at = new Date(Date.now() - random.between(minAgeMs, maxAgeMs)).toISOString()
    const event = { entity_external_id: entity, name: 'login', properties: { serial } }
    return { path: '/events', asked: { method: 'POST', body: { ...event, occurred_at: at } } }
  }
  if (kind < 0.8) {
    const tier = random.next() < 0.5 ? 'gold' : 'silver'
    const body = { set: { tier, serial } }
    return { path: `/entities/${entity}`, asked: { method: 'PATCH', body } }
  }
  const path = `/segments/${handSegment}/members/${entity}`
  const method = random.next() < 0.5 ? 'PUT' : 'DELETE'
  return { path, asked: { method, body: { reason: String(serial) } } }
}

function keyed(serial: number, asked: Asked): Asked {
  return { ...asked, headers: { 'idempotency-key': `load-${String(serial)}` } }
}

/** Returns the serial number of the write that stored a fact. Undefined: the load did not store the fact. */
export function serialOf(fact: TimedFact): number | undefined {
  switch (fact.type) {
    case 'EntityCreated':
    case 'EventRecorded':
      return Number(fact.data.properties['serial'])
    case 'EntityPropertiesChanged':
      return Number(fact.data.set['serial'])
    case 'EntityAddedToSegment':
    case 'EntityRemovedFromSegment':
      return Number(fact.data.reason)
    default:
      return undefined
  }
}
