import { createInterface } from 'node:readline'
import { ErasureLedgerFile } from '../../../src/adapters/system/erasure-ledger-file.js'
import { reasonOf } from '../../../src/application/ports/log.js'

/** A program with the ledger of erasures: each line of its input is an id to add, and has a line of output. */
const [path = '', timeoutMs = ''] = process.argv.slice(2)
const ledger = new ErasureLedgerFile(path, Number(timeoutMs))

async function answerTo(id: string): Promise<string> {
  if (id === 'ping') return 'pong'
  try {
    await ledger.add([id])
    return `added ${id}`
  } catch (error) {
    return `${ledger.entityIds.has(id) ? 'claimed' : 'missing'} ${id}: ${reasonOf(error)}`
  }
}

createInterface({ input: process.stdin }).on('line', (id) => {
  // Not in order: what hangs holds up no other line.
  void answerTo(id).then((answer) => process.stdout.write(`${answer}\n`))
})
