import { OptionsWrong } from './options.js'
import { OrderFileInvalid } from './order-file.js'
import { GaveUp, NotDossier } from './outcome.js'

/** Whether the message of an error says all that its reader needs; of others the stack is needed. */
export function isForPeople(error: unknown): error is Error {
  return [OptionsWrong, OrderFileInvalid, GaveUp, NotDossier].some((kind) => error instanceof kind)
}

/** Said after an error that ends a run half-way. */
export const runAgain =
  'What was stored is stored. Run it again on the same file: nothing is stored twice.'
