import { openDatabase } from '../../src/adapters/sqlite/file/driver.js'
import { valueOf } from '../../src/adapters/sqlite/file/schema.js'

/** Run as a process of its own, which reads a database as a back-up does: its path is the only argument. */
const db = openDatabase(process.argv[2] ?? '')
valueOf(db, 'SELECT count(*) FROM sqlite_schema')
db.close()
