import { readCopyOptions } from './adapters/cli/copy-options.js'
import { copyTable } from './adapters/cli/copy-table.js'
import { showCopy } from './adapters/cli/show-copy.js'
import { CopyRefused } from './application/migration/ports/copy-refused.js'
import { StoreNotOpened, isRefused } from './application/ports/refusal.js'
import { UnreadableFact } from './application/facts/unreadable-fact.js'
import { copyBetweenStores } from './composition/copy.js'

/** Copies a store: the account goes to standard output, everything else beside it. */
try {
  const options = readCopyOptions(process.argv.slice(2), process.env)
  const account = await copyBetweenStores(options, showCopy(process.stderr))
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
