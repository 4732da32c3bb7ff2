import { fork, type ChildProcess } from 'node:child_process'
import { messageForm } from '../load/order.js'
import { compiled } from '../places.js'
import type { Scope } from '../scope.js'
import { endProcess } from '../servers/end-process.js'
import { rssOf } from '../servers/process-figures.js'
import type { Subject } from './subject.js'

/** Measures a process of the bench that runs `serveSlices`, by its own CPU time. */
export async function forkedSubject(
  name: string,
  program: string,
  args: readonly string[],
  scope: Scope,
): Promise<Subject> {
  const child = fork(compiled(program), [...args], { execArgv: [] })
  await scope.own(async () => {
    await endProcess(child)
  })
  await messageOf(child)
  return {
    name,
    slice: async (seconds) => {
      child.send({ seconds })
      const message = messageForm.parse(await messageOf(child))
      if ('failed' in message) throw new Error(`${name}: ${message.failed}`)
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
      reject(new Error(`the measured process ended with ${String(code)}`))
    }
    child.once('exit', gone)
    child.once('message', (message) => {
      child.off('exit', gone)
      resolve(message)
    })
  })
}
