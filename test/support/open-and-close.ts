import { openDatabase } from '../../src/adapters/sqlite/file/driver.js'
import { valueOf } from '../../src/adapters/sqlite/file/schema.js'

/** A separate program that reads a database, as a backup does. Its only argument is the path. */
const db = openDatabase(process.argv[2] ?? '')
valueOf(db, 'SELECT count(*) FROM sqlite_schema')
db.close()
