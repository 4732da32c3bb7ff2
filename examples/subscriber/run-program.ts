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

/** Runs the program. For such an error, prints the message without a stack and exits with code 1. */
export async function runProgram(main: () => Promise<void>): Promise<void> {
  try {
    await main()
  } catch (error) {
    if (!(error instanceof Error && forPeople.some((kind) => error instanceof kind))) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}

/**
 * Returns a signal that is aborted at the first SIGINT or SIGTERM. A second signal ends the program immediately.
 */
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
