import { Dossier, DossierError } from 'dossier/client'
import { GaveUp } from './outcome.js'

/** The service to read from, and the key. */
export interface ReadSource {
  /** `http://127.0.0.1:3000` */
  readonly origin: string
  readonly key: string
  /** Of the file with the key, as a shell in the project's folder names it. */
  readonly keyFile: string
  /** The highest position of a write. Every read includes this position. */
  readonly position: string
}

/** Prints the results of a program. */
export type Print = (text: string) => void

export function clientOf({ origin: url, key, position }: ReadSource): Dossier {
  return new Dossier({ url, key, position })
}

/** Throws `GaveUp` for every error of the client. */
export async function answered<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (cause) {
    if (!(cause instanceof DossierError)) throw cause
    throw new GaveUp(`The service did not answer: ${cause.message}`, { cause })
  }
}

/** Prints the command that asks for this, ready to paste, with its answer. Throws like `answered`. */
export async function showAnswer(
  source: ReadSource,
  path: string,
  call: Promise<object>,
  print: Print,
): Promise<void> {
  const answer = { status: 'success', data: await answered(call) }
  print(`\n${curlOf(source, path)}\n${JSON.stringify(answer, undefined, 2)}\n`)
}

/** A question mark means something to a shell. */
function curlOf({ origin, keyFile, position }: ReadSource, path: string): string {
  const key = `-H "Authorization: Bearer $(cat ${shellQuoted(keyFile)})"`
  return `curl -sS ${shellQuoted(origin + path)} ${key} -H 'Position: ${position}'`
}

export function shellQuoted(text: string): string {
  return /^[\w./:%=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
