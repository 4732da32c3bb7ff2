import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads'
import { StoreNotOpened } from '../../../../application/ports/refusal.js'
import { endOf } from '../../threads.js'
import type { FromWriter, WriterData } from './protocol.js'

const writerThread = new URL('./writer-thread.js', import.meta.url)

/** A running writer thread, which has opened the database file. */
export interface Writer {
  /** The port that receives requests for the writer and delivers its responses. */
  readonly port: MessagePort
  /** Resolves when the thread has ended: with the error message if the thread failed, otherwise with undefined. */
  readonly ended: Promise<string | undefined>
}

/**
 * Starts the writer thread and resolves when the thread has opened the file. `lockWaitMs` is the longest time
 * that a group waits for another process's lock on the file, in milliseconds. `commits` is the shared memory of
 * a `CommitSignal`.
 *
 * Throws `StoreNotOpened`, but only after the thread has ended, because a process that exits while one of its
 * threads is ending may crash.
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
    // The port delivers its messages before it closes. The promise therefore resolves with undefined only if no
    // message arrived.
    port.once('close', () => {
      resolve(undefined)
    })
  })
  if (first?.kind === 'opened') return { port, ended }
  const failure = await ended
  throw new StoreNotOpened(
    first?.kind === 'not_opened'
      ? first.reason
      : `${path} cannot be opened: ${failure ?? 'the writer thread ended'}`,
  )
}
