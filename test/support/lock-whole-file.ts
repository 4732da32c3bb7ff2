import { openDatabase } from '../../src/adapters/sqlite/file/driver.js'

/** Run as a process of its own, which fails while another one has the database open: its path is the only argument. */
const db = openDatabase(process.argv[2] ?? '')
db.exec('PRAGMA locking_mode = EXCLUSIVE')
db.exec('BEGIN EXCLUSIVE')
db.exec('ROLLBACK')
db.close()
