import { isRefused, StoreNotOpened } from './application/ports/refusal.js'
import { readSettings, SettingsWrong } from './composition/settings.js'
import { vacuumStore } from './composition/commands.js'

/** Writes the files of facts and of the read model anew, without what was deleted, while the service is stopped. */
try {
  process.stdout.write(
    `${vacuumStore(readSettings(process.env))} holds what is stored and nothing else\n`,
  )
} catch (error) {
  process.exitCode = 1
  const isForPeople =
    error instanceof StoreNotOpened ||
    error instanceof SettingsWrong ||
    isRefused(error, 'store_unavailable')
  if (!isForPeople) throw error
  process.stderr.write(`vacuum: ${error.message}\n`)
}
