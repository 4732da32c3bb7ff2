import { getPostgreSQLEventStore } from '@event-driven-io/emmett-postgresql'
import { given } from './announce.js'
import { startEmmett } from './emmett-server.js'

const eventStore = getPostgreSQLEventStore(given('DATABASE_URL'), {
  schema: { autoMigration: 'None' },
})
await eventStore.schema.migrate()
startEmmett(eventStore, (command) => command())
