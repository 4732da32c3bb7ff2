import { commandOf } from '../adapters/cli/command-line.js'
import { showProgress } from '../adapters/cli/show-progress.js'
import { Dossier } from '../client/dossier.js'
import { importFiles } from '../importing/import-files.js'
import { importForm, readImportOptions } from '../importing/import-options.js'
import { ImportStopped } from '../importing/import-stopped.js'

/** Prints the result of each file to standard output, and everything else to standard error. */
export const command = commandOf(
  importForm,
  async (given) => {
    const options = readImportOptions(given, process.env)
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
    return isWhole ? 0 : 1
  },
  (error): error is ImportStopped => error instanceof ImportStopped,
)
