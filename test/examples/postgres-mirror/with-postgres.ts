import { existsSync } from 'node:fs'
import { it } from '@jest/globals'
import { programOf } from '../../../bench/servers/postgres.js'
import { Skipped } from '../../../bench/skipped.js'
import { quickOrThorough } from '../../support/thoroughness.js'

export const program = 'examples/postgres-mirror/.build/main.js'

/**
 * Whether tests with PostgreSQL run. A thorough run includes them if PostgreSQL is installed and the example is built.
 * With POSTGRES=required it always includes them, and they fail if something is missing.
 */
export const hasPostgres: boolean = quickOrThorough({
  quick: false,
  thorough: process.env['POSTGRES'] === 'required' || isInstalled(),
})

export const itWithPostgres: typeof it.skip = hasPostgres ? it : it.skip

function isInstalled(): boolean {
  try {
    for (const name of ['initdb', 'postgres', 'psql']) programOf(name)
    return existsSync(program)
  } catch (error) {
    if (error instanceof Skipped) return false
    throw error
  }
}
