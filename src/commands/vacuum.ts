import { commandOf } from '../adapters/cli/command-line.js'
import { isRefused, StoreNotOpened } from '../application/ports/refusal.js'
import { vacuumStore } from '../composition/commands.js'
import { readSettings, SettingsWrong } from '../composition/settings.js'

const form = {
  name: 'vacuum',
  about: `Writes the SQLite files of the facts and of the read model again, without deleted data.
Stop the service first, and use its settings.`,
  usage: [''],
  options: {},
  takesArguments: false,
  example: 'STORE_URL=sqlite:./data/dossier.db dossier vacuum',
  exitCodes: [
    [0, 'the files hold only stored data'],
    [1, 'the files were not written again: the message says why'],
    [2, 'the command line is wrong'],
  ],
} as const

export const command = commandOf(
  form,
  () => {
    const path = vacuumStore(readSettings(process.env))
    process.stdout.write(`${path} holds what is stored and nothing else\n`)
    return 0
  },
  isForPeople,
)

function isForPeople(error: unknown): error is Error {
  if (isRefused(error, 'store_unavailable')) return true
  return [StoreNotOpened, SettingsWrong].some((kind) => error instanceof kind)
}
