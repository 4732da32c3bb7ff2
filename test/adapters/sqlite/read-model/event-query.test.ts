import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { openDatabase, type Database } from '../../../../src/adapters/sqlite/file/driver.js'
import { changeKind, creationKind } from '../../../../src/adapters/sqlite/read-model/fact-kinds.js'
import { EventQueries } from '../../../../src/adapters/sqlite/read-model/queries/event-query.js'
import { atOnce } from '../../../../src/domain/in-pieces.js'
import { entity, EventLog, firstAt } from '../../../support/read-model/event-log.js'

let db: Database
let log: EventLog
beforeEach(() => {
  db = openDatabase(':memory:')
  log = new EventLog(db)
  log.add(creationKind, firstAt)
})
afterEach(() => {
  db.close()
})

function answer(eventId: string, maxFacts?: number) {
  const applied = { position: 1_000_000, id: '', logTime: 0 }
  const queries = new EventQueries(log, maxFacts)
  return atOnce(queries.event(entity, { externalId: 'ada', eventId }, applied))
}

const found = (n: number, maxFacts?: number) => answer(log.event(n).id, maxFacts)?.event?.id

describe('an event is found by its id', () => {
  it('without reading the other events of its second', () => {
    for (let n = 0; n < 900; n += 1) log.record({ at: firstAt })
    for (const n of [1, 450, 900]) {
      const before = log.reads
      expect(found(n)).toBe(log.event(n).id)
      expect(log.reads - before).toBeLessThan(20)
    }
  })

  it('whatever the clocks said when the id was generated and the event was recorded', () => {
    log.record({ at: firstAt, lagMs: 3_000 })
    log.record({ at: firstAt, idAt: firstAt - 100 })
    log.record({ at: firstAt, idAt: firstAt - 3_600_000 })
    log.record({ at: firstAt, idAt: firstAt + 3_600_000 })
    for (const n of [1, 2, 3, 4]) expect(found(n)).toBe(log.event(n).id)
  })

  it('in a log that is not too long, or in any log if the id tells the time of the recording', () => {
    log.record({ at: firstAt })
    log.record({ at: firstAt, idAt: firstAt - 3_600_000 })
    for (const n of [1, 2]) expect(found(n, 3)).toBe(log.event(n).id)
    log.add(changeKind, firstAt)
    expect(found(1, 3)).toBe(log.event(1).id)
    expect(() => found(2, 3)).toThrow(
      expect.objectContaining({
        code: 'too_many_facts',
        message: 'the entity has more than 3 facts',
      }),
    )
  })
})
