import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads'
import { StoreNotOpened } from '../../../../application/ports/refusal.js'
import { endOf } from '../../threads.js'
import type { FromWriter, WriterData } from './protocol.js'

const writerThread = new URL('./writer-thread.js', import.meta.url)

/** A running writer thread that has opened the file. */
export interface Writer {
  /** Receives the writer's requests and sends its responses. */
  readonly port: MessagePort
  /** Resolves when the thread has ended, with the error message if the thread failed. */
  readonly ended: Promise<string | undefined>
}

/**
 * Starts the writer thread and resolves when it has opened the file. `lockWaitMs` limits how long a group
 * waits for a foreign writer's lock. `commits` is the memory of a `CommitSignal`.
 *
 * Throws `StoreNotOpened` after the thread has ended: a process that exits while a thread ends may crash.
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
    // The port closes after its last message, so an earlier message wins.
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
