import { readCopyOptions, copyTable } from './adapters/cli/copy.js'
import { showProgress } from './adapters/cli/show-progress.js'
import { CopyRefused } from './application/migration/ports/fact-copy.js'
import { StoreNotOpened, isRefused } from './application/ports/refusal.js'
import { UnreadableFact } from './application/facts/stored-fact.js'
import { copyBetweenStores } from './composition/commands.js'

/** Copies a store: the account goes to standard output, everything else beside it. */
try {
  const options = readCopyOptions(process.argv.slice(2), process.env)
  const account = await copyBetweenStores(options, showProgress(process.stderr, 'facts'))
  process.stdout.write(copyTable(account))
  for (const line of account.erased) process.stderr.write(`copy: ${line}\n`)
  for (const difference of account.differences) process.stderr.write(`copy: ${difference}\n`)
  if (account.differences.length > 0) process.exitCode = 1
} catch (error) {
  if (!isForPeople(error)) throw error
  process.stderr.write(`copy: ${error.message}\n`)
  process.exitCode = 1
}

function isForPeople(error: unknown): error is Error {
  if (isRefused(error, 'store_unavailable')) return true
  return [CopyRefused, StoreNotOpened, UnreadableFact].some((kind) => error instanceof kind)
}
