import { Dossier, DossierError } from 'dossier/client'
import { GaveUp } from './outcome.js'

/** The service to read from, and the key. */
export interface ReadSource {
  /** The address, such as `http://127.0.0.1:3000`. */
  readonly origin: string
  readonly key: string
  /** The path of the file with the key, as typed in a shell in the project's folder. */
  readonly keyFile: string
  /** The highest position of a write. Every read includes this position. */
  readonly position: string
}

/** Prints the results of a program. */
export type Print = (text: string) => void

export function clientOf({ origin: url, key, position }: ReadSource): Dossier {
  return new Dossier({ url, key, position })
}

/** Resolves with the result of the call. Throws `GaveUp` for every error of the client. */
export async function answered<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (cause) {
    if (!(cause instanceof DossierError)) throw cause
    throw new GaveUp(`The service did not answer: ${cause.message}`, { cause })
  }
}

/** Prints a command that makes this request, ready to paste, and the answer. Throws like `answered`. */
export async function showAnswer(
  source: ReadSource,
  path: string,
  call: Promise<object>,
  print: Print,
): Promise<void> {
  const answer = { status: 'success', data: await answered(call) }
  print(`\n${curlOf(source, path)}\n${JSON.stringify(answer, undefined, 2)}\n`)
}

/** Returns the curl command. Quotes the URL, because a shell interprets a question mark. */
function curlOf({ origin, keyFile, position }: ReadSource, path: string): string {
  const key = `-H "Authorization: Bearer $(cat ${shellQuoted(keyFile)})"`
  return `curl -sS ${shellQuoted(origin + path)} ${key} -H 'Position: ${position}'`
}

export function shellQuoted(text: string): string {
  return /^[\w./:%=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
