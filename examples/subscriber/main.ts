import { existsSync } from 'node:fs'
import {
  CheckpointBeyondHead,
  CheckpointUnknown,
  HandlerFailed,
  NewerSchemaVersion,
  SubscriptionDenied,
  UnreadableFact,
} from 'dossier/subscription'
import { DailyEventsView } from './daily-events.js'
import { follow } from './follow.js'
import { OptionsWrong, readOptions, usage } from './options.js'

/** Their messages are for people and say what to do. */
const forPeople = [
  CheckpointBeyondHead,
  CheckpointUnknown,
  HandlerFailed,
  NewerSchemaVersion,
  OptionsWrong,
  SubscriptionDenied,
  UnreadableFact,
]

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), process.env)
  if (options.kind === 'help') {
    process.stdout.write(usage)
    return
  }
  if (options.kind === 'report' && !existsSync(options.database))
    throw new OptionsWrong(`there is no database ${options.database}`)
  const view = DailyEventsView.open(options.database)
  try {
    if (options.kind === 'report') report(view)
    else await follow(view, { ...options, stop: stopSignal(), say })
  } finally {
    view.close()
  }
}

function report(view: DailyEventsView): void {
  say('day\tcustomer\tevents')
  for (const { day, customer, events } of view.rows()) say(`${day}\t${customer}\t${String(events)}`)
}

/** The first signal stops cleanly; a second one ends the program at once. */
function stopSignal(): AbortSignal {
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => {
      stopping.abort()
    })
  return stopping.signal
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

try {
  await main()
} catch (error) {
  if (!(error instanceof Error && forPeople.some((kind) => error instanceof kind))) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
