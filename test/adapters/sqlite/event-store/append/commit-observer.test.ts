import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { reportCommit } from '../../../../../src/adapters/sqlite/ports/commit-observer.js'
import { openConnection } from '../../../../../src/adapters/sqlite/file/open-connection.js'
import type { Append } from '../../../../../src/application/recording/ports/event-store.js'
import { openSqliteStore } from '../../../../support/open-sqlite-store.js'
import { temporaryFolders } from '../../../../support/temporary-folder.js'

const folder = temporaryFolders()

function appendOf(stream: string, facts: number, data = '{}'): Append {
  const fact = () => ({ id: randomUUID(), type: 'X', data, metadata: '{}' })
  return { stream, expected: 'new', facts: Array.from({ length: facts }, fact) }
}

async function openStore() {
  const commits: number[] = []
  const times: number[] = []
  const checkpoints: number[] = []
  const failures: number[] = []
  const path = join(folder(), 'dossier.db')
  const store = await openSqliteStore(path, {
    commits: {
      tried: (facts, seconds) => {
        commits.push(facts)
        times.push(seconds)
      },
      checkpointed: (logBytes) => void checkpoints.push(logBytes),
      checkpointsFailed: (times) => void failures.push(times),
    },
  })
  return { store, path, commits, times, checkpoints, failures }
}

it('the observer receives the number of stored facts of each group, and 0 for a group of refused appends', async () => {
  const { store, commits, times } = await openStore()
  await store.append(appendOf('a', 1))
  await store.append(appendOf('b', 3))
  await expect(store.append(appendOf('a', 1))).rejects.toThrow('exists')
  await Promise.allSettled([store.append(appendOf('a', 5)), store.append(appendOf('c', 2))])
  expect(commits).toEqual([1, 3, 0, 2])
  expect(times.every((seconds) => seconds > 0)).toBe(true)
  await store.close()
})

it('the observer receives a failed group with 0 stored facts', async () => {
  const { store, path, commits, times } = await openStore()
  await store.append(appendOf('a', 1))
  const full = openConnection(path, 1_000)
  full.exec("CREATE TRIGGER full BEFORE INSERT ON facts BEGIN SELECT RAISE(ABORT, 'full'); END")
  await expect(store.append(appendOf('b', 3))).rejects.toThrow('full')
  full.exec('DROP TRIGGER full')
  full.close()
  await store.append(appendOf('b', 3))
  expect(commits).toEqual([1, 0, 3])
  expect(times.every((seconds) => seconds > 0)).toBe(true)
  await store.close()
})

it('the store counts the appends that wait for the writer', async () => {
  const { store } = await openStore()
  const waiting = [store.append(appendOf('a', 1)), store.append(appendOf('b', 3))]
  expect(store.queued.appends).toBe(2)
  await Promise.all(waiting)
  expect(store.queued).toEqual({ appends: 0, bytes: 0 })
  await store.close()
})

it('the observer receives a WAL checkpoint and the size of the WAL with the next commit', async () => {
  const { store, path, checkpoints, failures } = await openStore()
  const large = JSON.stringify({ a: 'x'.repeat(1_000_000) })
  // The first appends make a WAL checkpoint due. The later ones bring its report.
  for (let n = 0; checkpoints.length === 0; n += 1)
    await store.append(appendOf(`s${String(n)}`, 1, n < 5 ? large : '{}'))
  const longest = statSync(`${path}-wal`).size
  // The WAL has whole pages, each with a header. A WAL checkpoint is made after at least 4 MiB.
  expect((checkpoints[0] ?? 0) % (4_096 + 24)).toBe(0)
  expect(checkpoints[0]).toBeGreaterThan(4 * 1024 * 1024)
  expect(checkpoints[0]).toBeLessThanOrEqual(longest)
  expect(failures).toEqual([])
  await store.close()
})

it('the observer receives the number of failed WAL checkpoints', () => {
  const failures: number[] = []
  const observer = {
    tried: () => undefined,
    checkpointed: () => undefined,
    checkpointsFailed: (times: number) => void failures.push(times),
  }
  const measured = { facts: 1, seconds: 0.1, checkpoint: undefined }
  reportCommit(observer, { ...measured, failedCheckpoints: 0 })
  reportCommit(observer, { ...measured, failedCheckpoints: 2 })
  expect(failures).toEqual([2])
})
