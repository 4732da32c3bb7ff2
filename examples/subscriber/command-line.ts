/** The options are invalid. The message says which one and why. */
export class OptionsWrong extends Error {
  readonly code = 'options_wrong'
  override readonly name = 'OptionsWrong'
}

/** Returns the result of `parse`. Throws `OptionsWrong` when it throws. */
export function parsed<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    throw new OptionsWrong('the options cannot be read: see --help', { cause: error })
  }
}

/** Parses seconds and returns milliseconds. Throws `OptionsWrong`. */
export function secondsIn(name: string, text: string): number {
  const seconds = /^[0-9]{1,6}$/.test(text) ? Number(text) : 0
  if (seconds < 1) throw new OptionsWrong(`${name} must be a whole number from 1 to 999999`)
  return seconds * 1_000
}

/** Checks a connection string of EventStoreDB. Throws `OptionsWrong`. */
export function connectionStringIn(text: string): string {
  if (/^(esdb|kurrentdb)(\+discover)?:\/\/[^/?]/.test(text)) return text
  throw new OptionsWrong('--url must be a connection string, kurrentdb://HOST:PORT')
}
