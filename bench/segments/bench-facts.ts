import { toStored } from '../../src/application/facts/fact-format.js'
import type { Fact } from '../../src/application/facts/fact-table.js'
import type { LoggedFact } from '../../src/application/facts/ports/fact-log.js'
import {
  membersStream,
  segmentsStream,
  type SegmentBuilt,
} from '../../src/domain/segments/segment-facts.js'
import { otherName, touchedName, type BenchSegment } from './segments-of.js'

/** This number is coprime to round numbers, so the events of an entity are far apart. */
const stride = 7_919

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const start = Date.UTC(2026, 0, 1)
/** The time of the first filling event, and the number of days over which these events are spread. */
const firstEventAt = start + hourMs
const filledDays = 120
/** A midnight after all filling events. The property `ends` of every entity is one day earlier. */
const midnight = start + (filledDays + 1) * dayMs

function millisecondsBetween(events: number): number {
  return Math.floor((filledDays * dayMs) / events)
}

/**
 * Generates the facts of a log. Generates the same facts in every run. Half of the filling events are `buy`. The others
 * have the names that other segments count.
 */
export class BenchFacts {
  private position = 0
  private now = start

  constructor(private readonly entities: number) {}

  created(n: number): LoggedFact {
    this.now += 1
    const properties = {
      plan: n % 3 === 0 ? 'paid' : 'free',
      ends: iso(midnight - dayMs),
    }
    const data = { externalId: entityOf(n), properties, createdAt: iso(this.now) }
    return this.next(`entity-${entityOf(n)}`, { id: this.nextId, type: 'EntityCreated', data })
  }

  /** Returns the n-th of `events` filling events. */
  filled(n: number, events: number): LoggedFact {
    this.now = Math.max(this.now, firstEventAt + n * millisecondsBetween(events))
    return this.event(n, n % 2 === 0 ? touchedName : otherName(Math.floor(n / 2)))
  }

  /** Returns the n-th event after the filling. */
  live(n: number): LoggedFact {
    this.now += 10
    return this.event(n, touchedName)
  }

  defined({ key, rule }: BenchSegment): LoggedFact {
    this.now += 1
    const its = { segment: key, version: 1, title: key, kind: 'rule', evaluator: 1 } as const
    const data = { ...its, rule, definedAt: iso(this.now) }
    return this.next(segmentsStream, { id: this.nextId, type: 'SegmentDefined', data })
  }

  built(data: SegmentBuilt['data']): LoggedFact {
    return this.next(membersStream(data.segment), { id: this.nextId, type: 'SegmentBuilt', data })
  }

  private event(n: number, name: string): LoggedFact {
    const of = this.entities
    const externalId = entityOf(((n % of) * stride + Math.floor(n / of)) % of)
    const properties = { total: (n * 37) % 100 }
    const data = { entityExternalId: externalId, name, properties, recordedAt: iso(this.now) }
    return this.next(`entity-${externalId}`, { id: this.nextId, type: 'EventRecorded', data })
  }

  private get nextId(): string {
    return `00000000-0000-4000-8000-${String(this.position + 1).padStart(12, '0')}`
  }

  private next(stream: string, fact: Fact): LoggedFact {
    this.position += 1
    const stored = toStored(fact, { requestId: 'bench', keyHash: undefined })
    return { position: this.position, stream, ...stored }
  }
}

function entityOf(n: number): string {
  return `customer-${String(n)}`
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
