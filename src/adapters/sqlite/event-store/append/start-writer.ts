import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads'
import { StoreNotOpened } from '../../../../application/ports/refusal.js'
import type { FromWriter, WriterData } from './protocol.js'

const writerThread = new URL('./writer-thread.js', import.meta.url)

/** The writer thread, which has opened the file. */
export interface Writer {
  readonly thread: Worker
  /** Where its requests come in and its responses leave. */
  readonly port: MessagePort
  /** Resolves when the thread has ended. */
  readonly ended: Promise<void>
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
  const thread = new Worker(writerThread, { workerData, transferList: [port2] })
  const ended = new Promise<void>((resolve) => {
    thread.once('exit', () => {
      resolve()
    })
  })
  try {
    await opened(thread, port, path)
  } catch (error) {
    await ended
    throw error
  }
  return { thread, port, ended }
}

function opened(thread: Worker, port: MessagePort, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (result: () => void) => {
      port.removeAllListeners('message')
      thread.removeAllListeners('error')
      result()
    }
    port.on('message', (message: FromWriter) => {
      if (message.kind === 'opened') end(resolve)
      if (message.kind === 'not_opened') {
        end(() => {
          reject(new StoreNotOpened(message.reason))
        })
      }
    })
    thread.on('error', (error) => {
      end(() => {
        reject(new StoreNotOpened(`${path} cannot be opened: ${error.message}`, { cause: error }))
      })
    })
  })
}
