import {
  CheckpointBeyondHead,
  CheckpointUnknown,
  HandlerFailed,
  NewerSchemaVersion,
  SubscriptionDenied,
  UnreadableFact,
} from 'dossier/subscription'
import { OptionsWrong } from './command-line.js'

type ErrorClass = abstract new (...args: never[]) => Error

/** Errors with a message that tells the user what to do. */
const forPeople: readonly ErrorClass[] = [
  CheckpointBeyondHead,
  CheckpointUnknown,
  HandlerFailed,
  NewerSchemaVersion,
  OptionsWrong,
  SubscriptionDenied,
  UnreadableFact,
]

/** Runs the program. Prints the message of such an error without its stack, and ends with exit code 1. */
export async function runProgram(main: () => Promise<void>): Promise<void> {
  try {
    await main()
  } catch (error) {
    if (!(error instanceof Error && forPeople.some((kind) => error instanceof kind))) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}

/** The first signal stops cleanly; a second one ends the program at once. */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => {
      stopping.abort()
    })
  return stopping.signal
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
