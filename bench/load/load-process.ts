import { fork, type ChildProcess } from 'node:child_process'
import { compiled } from '../places.js'
import type { Scope } from '../scope.js'
import { endProcess } from '../servers/end-process.js'
import { messageForm, type Order, type Outcome } from './order.js'

/** The time that an order may take beyond its expected duration, in milliseconds. */
const maxWaitMs = 60_000

/** The bench's handle of the load process. */
export class LoadProcess {
  private constructor(private readonly child: ChildProcess) {}

  static async start(scope: Scope): Promise<LoadProcess> {
    const child = fork(compiled('load/main.js'), { execArgv: [] })
    await scope.own(async () => {
      await endProcess(child)
    })
    return new LoadProcess(child)
  }

  /**
   * Executes one order at a time. Throws when a connection breaks, the process ends, or the order takes too long.
   */
  async run(order: Order): Promise<Outcome> {
    const milliseconds = (order.seconds ?? 0) * 1_000 + (order.requests ?? 0) + maxWaitMs
    const answer = messageForm.parse(await this.answerTo(order, milliseconds))
    if ('failed' in answer) throw new Error(answer.failed)
    return answer.outcome
  }

  private answerTo(order: Order, milliseconds: number): Promise<unknown> {
    const { child } = this
    if (child.exitCode !== null || child.signalCode !== null) return Promise.reject(endOf(child))
    return new Promise((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer)
        child.off('message', answered)
        child.off('exit', gone)
      }
      const answered = (answer: unknown) => {
        settle()
        resolve(answer)
      }
      const gone = () => {
        settle()
        reject(endOf(child))
      }
      const timer = setTimeout(() => {
        settle()
        child.kill('SIGKILL')
        reject(new Error(`no end of the load after ${String(milliseconds)} ms`))
      }, milliseconds)
      child.once('message', answered)
      child.once('exit', gone)
      child.send(order, (error) => {
        if (error === null) return
        settle()
        reject(error)
      })
    })
  }
}

function endOf({ exitCode, signalCode }: ChildProcess): Error {
  return new Error(`the load process ended with ${String(exitCode ?? signalCode)}`)
}
