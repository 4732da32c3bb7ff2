import { commandOf } from '../adapters/cli/command-line.js'
import { copyForm, copyTable, readCopyOptions } from '../adapters/cli/copy.js'
import { showProgress } from '../adapters/cli/show-progress.js'
import { CopyRefused } from '../application/migration/ports/fact-copy.js'
import { StoreNotOpened, isRefused } from '../application/ports/refusal.js'
import { UnreadableFact } from '../application/facts/stored-fact.js'
import { copyBetweenStores } from '../composition/commands.js'

/** Prints the result to standard output, and everything else to standard error. */
export const command = commandOf(
  copyForm,
  async (given) => {
    const options = readCopyOptions(given, process.env)
    const account = await copyBetweenStores(options, showProgress(process.stderr, 'facts'))
    process.stdout.write(copyTable(account))
    for (const line of account.erased) process.stderr.write(`copy: ${line}\n`)
    for (const difference of account.differences) process.stderr.write(`copy: ${difference}\n`)
    return account.differences.length > 0 ? 1 : 0
  },
  isForPeople,
)

function isForPeople(error: unknown): error is Error {
  if (isRefused(error, 'store_unavailable')) return true
  return [CopyRefused, StoreNotOpened, UnreadableFact].some((kind) => error instanceof kind)
}
