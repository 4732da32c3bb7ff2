import { runKeysCommand } from './adapters/api-keys/keys-command.js'
import { KeysFileUnusable } from './adapters/api-keys/replace-file.js'
import { KeyCommandRefused } from './adapters/api-keys/manage-keys.js'
import { readApiKeysFile, SettingsWrong } from './composition/settings.js'

/** The key commands: the key or the list goes to standard output, everything else beside it. */
try {
  runKeysCommand(process.argv.slice(2), readApiKeysFile(process.env), {
    result: (line) => process.stdout.write(`${line}\n`),
    remark: (line) => process.stderr.write(`${line}\n`),
  })
} catch (error) {
  if (!isForPeople(error)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}

function isForPeople(error: unknown): error is Error {
  return [KeyCommandRefused, KeysFileUnusable, SettingsWrong].some((kind) => error instanceof kind)
}
