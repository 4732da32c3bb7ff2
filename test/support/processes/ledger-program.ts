import { createInterface } from 'node:readline'
import { ErasureLedgerFile } from '../../../src/adapters/system/erasure-ledger-file.js'
import { reasonOf } from '../../../src/application/ports/log.js'

/** A program that adds ids to the erasure ledger. Reads one id per line, and prints one line per result. */
const [path = '', timeoutMs = ''] = process.argv.slice(2)
const ledger = new ErasureLedgerFile(path, Number(timeoutMs))
ledger.create()

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
  // Answers in any order, so that a hanging id delays no other.
  void answerTo(id).then((answer) => process.stdout.write(`${answer}\n`))
})
