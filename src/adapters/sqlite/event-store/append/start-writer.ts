import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads'
import { StoreNotOpened } from '../../../../application/ports/refusal.js'
import { endOf } from '../../threads.js'
import type { FromWriter, WriterData } from './protocol.js'

const writerThread = new URL('./writer-thread.js', import.meta.url)

/** The writer thread, which has opened the file. */
export interface Writer {
  /** Where its requests come in and its responses leave. */
  readonly port: MessagePort
  /** Resolves when the thread has ended: with what it failed with, if it did. */
  readonly ended: Promise<string | undefined>
}

/**
 * `lockWaitMs`: how long a group waits for a foreign writer's lock. `commits`: of a `CommitSignal`. Throws
 * `StoreNotOpened` once the thread has ended: a process that exits while one ends may crash.
 */
export async function startWriter(
  path: string,
  lockWaitMs: number,
  commits: SharedArrayBuffer,
): Promise<Writer> {
  const { port1: port, port2 } = new MessageChannel()
  const workerData: WriterData = { path, lockWaitMs, port: port2, commits }
  const ended = endOf(new Worker(writerThread, { workerData, transferList: [port2] }))
  const first = await new Promise<FromWriter | undefined>((resolve) => {
    port.once('message', resolve)
    // Behind all that it said.
    port.once('close', () => {
      resolve(undefined)
    })
  })
  if (first?.kind === 'opened') return { port, ended }
  const failure = await ended
  throw new StoreNotOpened(
    first?.kind === 'not_opened'
      ? first.reason
      : `${path} cannot be opened: ${failure ?? 'its thread ended'}`,
  )
}
