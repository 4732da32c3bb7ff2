import { OptionsWrong } from './options.js'
import { OrderFileInvalid } from './order-file.js'
import { GaveUp, NotDossier } from './outcome.js'

/** Returns whether the message of an error is enough for the user. Print the stack of every other error. */
export function isForPeople(error: unknown): error is Error {
  return [OptionsWrong, OrderFileInvalid, GaveUp, NotDossier].some((kind) => error instanceof kind)
}

/** Advice to print after an error that ends a run early. */
export const runAgain =
  'What was stored is stored. Run it again on the same file: nothing is stored twice.'
