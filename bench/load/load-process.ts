import { fork, type ChildProcess } from 'node:child_process'
import { compiled } from '../places.js'
import type { Scope } from '../scope.js'
import { endProcess } from '../servers/end-process.js'
import { messageForm, type Order, type Outcome } from './order.js'

/** Beyond what was ordered, for the last replies. */
const patienceMs = 60_000

/** The load process as the bench sees it. */
export class LoadProcess {
  private constructor(private readonly child: ChildProcess) {}

  static async start(scope: Scope): Promise<LoadProcess> {
    const child = fork(compiled('load/main.js'), { execArgv: [] })
    await scope.own(async () => {
      await endProcess(child)
    })
    return new LoadProcess(child)
  }

  /** One order at a time. Throws when a connection broke, or when it takes too long. */
  async run(order: Order): Promise<Outcome> {
    const { child } = this
    const milliseconds = (order.seconds ?? 0) * 1_000 + (order.requests ?? 0) + patienceMs
    const message = await new Promise<unknown>((resolve, reject) => {
      const timer = setTimeout(() => {
        child.kill('SIGKILL')
        reject(new Error(`no end of the load after ${String(milliseconds)} ms`))
      }, milliseconds)
      child.once('message', (answer) => {
        clearTimeout(timer)
        resolve(answer)
      })
      child.send(order)
    })
    const answer = messageForm.parse(message)
    if ('failed' in answer) throw new Error(answer.failed)
    return answer.outcome
  }
}
