import { fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { messageForm } from '../load/order.js'
import { compiled } from '../places.js'
import type { Scope } from '../scope.js'
import { endProcess } from '../servers/end-process.js'
import { rssOf } from '../servers/process-figures.js'
import { comparePrepared } from './compare.js'
import type { Row } from './row.js'
import type { Subject } from './subject.js'

/** Our way to EventStoreDB against its client's own, without HTTP in front. */
export const eventStoreDb: Row = {
  id: 'eventstoredb',
  about: "our append to EventStoreDB / the client's own unary append, 64 in flight each",
  run: async (bench) => {
    const real = process.env['ESDB_TEST_URL']
    const url = real ?? (await startDouble(bench.scope))
    const a = await startClient('adapter', url, bench.scope)
    const b = await startClient('client', url, bench.scope)
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

async function startClient(kind: string, url: string, scope: Scope): Promise<Subject> {
  const child = fork(compiled('rows/append-client.js'), [kind, url], { execArgv: [] })
  await scope.own(async () => {
    await endProcess(child)
  })
  await messageOf(child)
  return {
    name: kind,
    slice: async (seconds) => {
      child.send({ seconds })
      const message = messageForm.parse(await messageOf(child))
      if ('failed' in message) throw new Error(`${kind}: ${message.failed}`)
      const { requests, milliseconds, p50, p99, cpu } = message.outcome
      const perSecond = (requests * 1_000) / milliseconds
      const none = { databaseCpu: undefined, loadCpu: undefined }
      return { facts: requests, perSecond, p50, p99, cpu: cpu / requests, ...none }
    },
    rss: () => rssOf(child.pid ?? 0),
    end: async () => {
      await endProcess(child)
    },
  }
}

function messageOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const gone = (code: number | null) => {
      reject(new Error(`the appending process ended with ${String(code)}`))
    }
    child.once('exit', gone)
    child.once('message', (message) => {
      child.off('exit', gone)
      resolve(message)
    })
  })
}
