import { existsSync } from 'node:fs'
import { OptionsWrong } from './command-line.js'
import { DailyEventsView } from './daily-events.js'
import { follow } from './follow.js'
import { readOptions, usage } from './options.js'
import { runProgram, say, stopSignal } from './run-program.js'

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

await runProgram(main)
