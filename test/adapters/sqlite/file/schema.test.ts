import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { prepareRows, type Database } from '../../../../src/adapters/sqlite/file/driver.js'
import { openConnection } from '../../../../src/adapters/sqlite/file/open-connection.js'
import {
  applicationId,
  migrate,
  migrations,
  valueOf,
} from '../../../../src/adapters/sqlite/file/schema.js'
import { temporaryFolders } from '../../../support/temporary-folder.js'

const folder = temporaryFolders()
let db: Database

beforeEach(() => {
  db = openConnection(join(folder(), 'dossier.db'), 100)
})

afterEach(() => {
  db.close()
})

it('a migration brings an empty file to the newest version and marks it as a Dossier store', () => {
  migrate(db)
  expect(valueOf(db, 'PRAGMA user_version')).toBe(migrations.length)
  expect(valueOf(db, 'PRAGMA application_id')).toBe(applicationId)
})

it('a migration keeps the data of an older file and runs no step twice', () => {
  const first = 'CREATE TABLE one (a INTEGER)'
  migrate(db, [first])
  db.exec('INSERT INTO one VALUES (7)')
  migrate(db, [first, 'ALTER TABLE one ADD COLUMN b INTEGER DEFAULT 8'])
  expect(prepareRows(db, 'SELECT a, b FROM one').all()).toEqual([[7, 8]])
  expect(valueOf(db, 'PRAGMA user_version')).toBe(2)
})

it('a failed step leaves the version before the step', () => {
  const first = 'CREATE TABLE one (a INTEGER)'
  expect(() => {
    migrate(db, [first, 'CREATE TABLE two (a INTEGER); CREATE TABLE one (a INTEGER)'])
  }).toThrow(/already exists/)
  expect(valueOf(db, 'PRAGMA user_version')).toBe(1)
  expect(valueOf(db, "SELECT count(*) FROM sqlite_schema WHERE name = 'two'")).toBe(0)
})

it('a migration from version 2 records that the index has all keys', () => {
  migrate(db, migrations.slice(0, 2))
  db.exec(`INSERT INTO streams VALUES (1, 'entity-ada')`)
  db.exec(`INSERT INTO facts VALUES (1, 1, 'a', 'EntityCreated', '{}', '{}')`)
  db.exec(`INSERT INTO facts VALUES (2, 1, 'b', 'EventRecorded', '{}', '{}')`)
  migrate(db)
  expect(valueOf(db, 'SELECT position FROM keys_indexed')).toBe(2)
})
