import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { compiled } from '../places.js'
import type { Scope } from '../scope.js'
import { endProcess } from '../servers/end-process.js'
import { comparePrepared } from './compare.js'
import { forkedSubject } from './forked-subject.js'
import type { Row } from './row.js'

/** Compares this product's EventStoreDB adapter with the vendor's client, without HTTP. */
export const eventStoreDb: Row = {
  id: 'eventstoredb',
  about: "our append to EventStoreDB / the client's own appendToStream, 64 in flight each",
  run: async (bench) => {
    const real = process.env['ESDB_TEST_URL']
    const url = real ?? (await startDouble(bench.scope))
    const program = 'rows/append-client.js'
    const a = await forkedSubject('adapter', program, ['adapter', url], bench.scope)
    const b = await forkedSubject('client', program, ['client', url], bench.scope)
    const comparison = await comparePrepared(bench, a, b)
    if (real !== undefined) return { comparison }
    const note =
      'double: the server is a double in JavaScript, so only the ratio of CPU counts here. ' +
      'Set ESDB_TEST_URL for a real one.'
    return { comparison, notes: [note] }
  },
}

async function startDouble(scope: Scope): Promise<string> {
  const program = compiled('../test/support/eventstoredb/run-double.js')
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] })
  await scope.own(async () => {
    await endProcess(child, 'SIGKILL')
  })
  const lines: unknown = await once(createInterface({ input: child.stdout }), 'line')
  const [line] = z.tuple([z.string()]).parse(lines)
  const { port } = z.object({ port: z.int() }).parse(JSON.parse(line))
  return `esdb://127.0.0.1:${String(port)}?tls=false`
}
