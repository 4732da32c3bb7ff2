import type { Readable } from 'node:stream'
import { alignedRows, type Row } from '../adapters/cli/aligned-rows.js'
import type { ImportOptions } from './import-options.js'
import type { ShownProgress } from '../adapters/cli/show-progress.js'
import { importSource, type ImportAccount, type Sender } from './import-source.js'
import { FileSource, StandardInput, type Source } from './source.js'

export interface ImportStreams {
  readonly input: Readable
  /** Prints the report of a file, which has several lines. */
  readonly result: (text: string) => void
}

/**
 * Imports one file after another. Returns false when lines were refused, or when a file with lines contained
 * nothing to store. Throws `ImportStopped`.
 */
export async function importFiles(
  { files, name, ...options }: ImportOptions,
  dossier: Sender,
  progress: ShownProgress,
  { input, result }: ImportStreams,
): Promise<boolean> {
  let isComplete = true
  for (const file of files) {
    const source = await openSource(file, name, progress, input)
    try {
      const account = await importSource(source, dossier, progress, options)
      result(importTable(source, account))
      if (account.refused > 0 || hasNothing(account)) isComplete = false
    } finally {
      await source.close()
    }
  }
  return isComplete
}

function hasNothing({ lines, stored, alreadyThere = 0, refused }: ImportAccount): boolean {
  return lines > 0 && stored + alreadyThere + refused === 0
}

/** Opens a file or standard input. Standard input always has a name here, because the options were checked. */
async function openSource(
  file: string,
  name: string | undefined,
  progress: ShownProgress,
  input: Readable,
): Promise<Source> {
  if (file === '-' && name !== undefined) return new StandardInput(name, input)
  progress.begin('reading')
  try {
    return await FileSource.open(file, name, (share) => {
      progress.done(0, share)
    })
  } finally {
    progress.end()
  }
}

function importTable(source: Source, account: ImportAccount): string {
  const { lines, stored, alreadyThere, refused, milliseconds } = account
  const numbers: readonly Row[] = [
    ['lines', String(lines)],
    ...(alreadyThere === undefined
      ? [['stored', String(stored)] as const]
      : ([
          ['stored now', String(stored)],
          ['already there', String(alreadyThere)],
        ] as const)),
    ['refused', String(refused)],
    ['seconds', (milliseconds / 1_000).toFixed(1)],
  ]
  const texts: Row[] = [
    ['file', source.name],
    ['key', source.key],
  ]
  if (refused > 0) texts.push(['refused lines', source.refusedPath])
  if (hasNothing(account)) {
    texts.push(['nothing stored', 'no line contains anything to store (is it only a header?)'])
  }
  return alignedRows(numbers, texts)
}
