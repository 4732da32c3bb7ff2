import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { externalIdMembers } from '../../../application/facts/fact-table.js'
import type { Search, Searched } from './search-here.js'

/** The paths and streams of a search. The members with the ids of entities come from the fact table. */
type WantedSearch = Omit<Search, 'idMembers'>

/**
 * Searches files for traces of entities, in a child process. A separate process is needed because this process
 * has the files open as databases. When a process closes any descriptor of a file, POSIX drops all locks of the
 * process on that file, and SQLite would lose its locks. The next program that opens the database, such as a
 * back-up, would then assume that no other process uses it and remove the WAL.
 *
 * Rejects when the search fails. Rejects with the signal's reason when the signal is aborted.
 */
export async function searchFiles(wanted: WantedSearch, signal?: AbortSignal): Promise<Searched> {
  signal?.throwIfAborted()
  const child = fork(fileURLToPath(new URL('./search-process.js', import.meta.url)), {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const abort = () => void child.kill()
  signal?.addEventListener('abort', abort)
  try {
    return await answerOf(child, { ...wanted, idMembers: externalIdMembers })
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    signal?.removeEventListener('abort', abort)
  }
}

/** The response of the child process: the result of the search, or the message of its error. */
export type SearchAnswer = Searched | { readonly failure: string }

function answerOf(child: ChildProcess, search: Search): Promise<Searched> {
  const files = search.paths.join(', ')
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => {
      reject(new Error(`the search of ${files} failed: ${reason}`))
    }
    child.once('message', (answer: SearchAnswer) => {
      if ('failure' in answer) fail(answer.failure)
      else resolve(answer)
    })
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      fail(`the process ended with ${String(signal ?? code)}`)
    })
    child.send(search)
  })
}
