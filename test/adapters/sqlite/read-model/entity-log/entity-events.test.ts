import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { openDatabase, type Database } from '../../../../../src/adapters/sqlite/file/driver.js'
import { EntityEvents } from '../../../../../src/adapters/sqlite/read-model/entity-log/entity-events.js'
import { creationKind } from '../../../../../src/adapters/sqlite/read-model/fact-kinds.js'
import { entity, EventLog, firstAt } from '../../../../support/read-model/event-log.js'

let db: Database
let log: EventLog
let events: EntityEvents
beforeEach(() => {
  db = openDatabase(':memory:')
  log = new EventLog(db)
  const { facts, logs } = log
  const changes = { nextOf: () => undefined }
  events = new EntityEvents({ facts, logs, changes, writeFacts: () => undefined })
})
afterEach(() => {
  db.close()
})

function found(n: number) {
  const { id, name, at, recordedAt } = log.event(n)
  return events.find([entity], { id, name, at, recordedAt }, Infinity)
}

describe('the event that a void names', () => {
  const many = 2_000

  it.each([
    ['in the order of their own times', []],
    ['after an event with a later own time', [firstAt + 1]],
  ])('is found without reading all events of its own time and name, %s', (_what, others) => {
    log.add(creationKind, firstAt)
    for (const at of others) log.record({ at })
    for (let n = 0; n < many; n += 1) log.record({ at: firstAt })
    for (const n of [2, many / 2, many]) {
      const before = log.reads
      expect(found(n)?.position).toBe(log.event(n).position)
      expect(log.reads - before).toBeLessThan(10)
    }
  })

  it('is found although the clock of its recording was behind log time', () => {
    log.add(creationKind, firstAt)
    log.record({ at: firstAt })
    log.record({ at: firstAt, lagMs: 3_000 })
    log.record({ at: firstAt })
    for (const n of [1, 2, 3]) expect(found(n)?.position).toBe(log.event(n).position)
  })
})
