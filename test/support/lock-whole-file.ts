import { openDatabase } from '../../src/adapters/sqlite/file/driver.js'

/**
 * A separate program that locks a database exclusively. Fails while another process has the database open. Its only
 * argument is the path.
 */
const db = openDatabase(process.argv[2] ?? '')
db.exec('PRAGMA locking_mode = EXCLUSIVE')
db.exec('BEGIN EXCLUSIVE')
db.exec('ROLLBACK')
db.close()
