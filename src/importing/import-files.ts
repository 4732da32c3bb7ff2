import type { Readable } from 'node:stream'
import { alignedRows, type Row } from '../adapters/cli/aligned-rows.js'
import type { ImportOptions } from './import-options.js'
import type { ShownProgress } from '../adapters/cli/show-progress.js'
import { importSource, type ImportAccount, type Sender } from './import-source.js'
import { FileSource, StandardInput, type Source } from './source.js'

export interface ImportStreams {
  readonly input: Readable
  /** The account of a file, some lines of text. */
  readonly result: (text: string) => void
}

/** One file after the other. False: lines were refused. Throws `ImportStopped`. */
export async function importFiles(
  { files, name, ...options }: ImportOptions,
  dossier: Sender,
  progress: ShownProgress,
  { input, result }: ImportStreams,
): Promise<boolean> {
  let isWhole = true
  for (const file of files) {
    const source = await openSource(file, name, progress, input)
    try {
      const account = await importSource(source, dossier, progress, options)
      result(importTable(source, account))
      if (account.refused > 0) isWhole = false
    } finally {
      await source.close()
    }
  }
  return isWhole
}

/** `name` is there for standard input: the options have been checked. */
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
  const texts: readonly Row[] = refused === 0 ? [] : [['refused lines', source.refusedPath]]
  return alignedRows(numbers, [['file', source.name], ['key', source.key], ...texts])
}
