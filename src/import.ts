import { Dossier } from './client/dossier.js'
import { importFiles } from './importing/import-files.js'
import { importUsage, readImportOptions } from './importing/import-options.js'
import { showProgress } from './adapters/cli/show-progress.js'
import { ImportStopped } from './importing/import-stopped.js'

/** Imports files: the accounts go to standard output, everything else beside it. */
try {
  const options = readImportOptions(process.argv.slice(2), process.env)
  if (options === undefined) {
    process.stdout.write(importUsage)
  } else {
    const progress = showProgress(process.stderr, 'lines')
    const dossier = new Dossier({
      url: options.url,
      key: options.key,
      onRetry: (error) => {
        progress.waits(error.message)
      },
    })
    const isWhole = await importFiles(options, dossier, progress, {
      input: process.stdin,
      result: (text) => process.stdout.write(text),
    })
    if (!isWhole) process.exitCode = 1
  }
} catch (error) {
  if (!(error instanceof ImportStopped)) throw error
  process.stderr.write(`import: ${error.message}\n`)
  process.exitCode = 1
}
