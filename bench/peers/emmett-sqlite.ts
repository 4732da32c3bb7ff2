import { getSQLiteEventStore, sqliteConnection } from '@event-driven-io/emmett-sqlite'
import { given } from './announce.js'
import { startEmmett, type Schedule } from './emmett-server.js'

/**
 * One connection, and commands one after the other. As Emmett's sample has it, each operation opens a
 * connection of its own, and of 64 requests at once nearly all end with SQLITE_BUSY and a 500; over one
 * shared connection without turns, requests would share a transaction and be answered before its end.
 */
const fileName = given('DATABASE_FILE')
const eventStore = getSQLiteEventStore({
  fileName,
  connectionOptions: { singleton: true, connection: sqliteConnection({ fileName }) },
  schema: { autoMigration: 'None' },
})
await eventStore.schema.migrate()

let last: Promise<unknown> = Promise.resolve()
const inTurn: Schedule = (command) => {
  const mine = last.then(command)
  last = mine.catch(() => undefined)
  return mine
}
startEmmett(eventStore, inTurn)
