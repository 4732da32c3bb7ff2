import { workerData } from 'node:worker_threads'
import type Database from 'libsql'
import type { Append } from '../../application/ports/event-store.js'
import { StoreNotOpened } from '../../application/ports/store-errors.js'
import { Checkpoints } from './checkpoints.js'
import { createFile } from './create-file.js'
import { DataLock } from './data-lock.js'
import { unflatten } from './flat-appends.js'
import { GroupWriter } from './group-writer.js'
import { inspectFile } from './inspect-file.js'
import { openConnection } from './open-connection.js'
import { messagesOn } from './messages-on.js'
import { reasonOf } from './reason-of.js'
import type { FromWriter, ToWriter, WriterData } from './protocol.js'
import { migrate } from './schema.js'
import { timedCommit } from './timed-commit.js'

/**
 * The thread that owns the data file. A commit waits for the disk, and a disk can hang: here it holds
 * up nobody but the appends themselves. What arrives while one group is being flushed is the next.
 */
const { path, lockWaitMs, port: inbox } = workerData as WriterData

/** Bounds how long the first of a group waits for the last. */
const mostInGroup = 1_024

function send(message: FromWriter): void {
  inbox.postMessage(message)
}

function start(): void {
  const lock = DataLock.take(path)
  try {
    inspectFile(path)
    createFile(path)
    serve(openConnection(path, lockWaitMs), lock)
  } catch (error) {
    lock.release()
    throw error
  }
}

function serve(db: Database.Database, lock: DataLock): void {
  const writer = openWriter(db)
  const checkpoints = new Checkpoints(db, path, (reason) => {
    send({ kind: 'trouble', reason })
  })
  inbox.on('message', (first: ToWriter) => {
    const messages = [first, ...messagesOn<ToWriter>(inbox)]
    const groups = groupsIn(messages)
    const answered = messages.filter(({ kind }) => kind === 'appends').length
    groups.forEach((group, at) => {
      const done = at === groups.length - 1 ? answered : 0
      send({ kind: 'outcomes', messages: done, ...timedCommit(writer, group, checkpoints) })
      checkpoints.committed(bytesOf(group))
    })
    if (messages.some(({ kind }) => kind === 'check')) send({ kind: 'checked' })
    if (messages.some(({ kind }) => kind === 'close')) {
      void checkpoints.close().then(() => {
        emptyLog(db)
        db.close()
        lock.release()
        inbox.close()
      })
    }
  })
  send({ kind: 'opened' })
}

/** After a clean stop the file alone is everything; the driver leaves the log as it is. */
function emptyLog(db: Database.Database): void {
  try {
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch (error) {
    send({ kind: 'trouble', reason: `the log stays for the next start: ${reasonOf(error)}` })
  }
}

function openWriter(db: Database.Database): GroupWriter {
  try {
    migrate(db)
    // A file that may be read and not written is found out now, not by the first request.
    db.exec('BEGIN IMMEDIATE')
    db.exec('ROLLBACK')
    return new GroupWriter(db)
  } catch (error) {
    db.close()
    throw error
  }
}

function groupsIn(messages: readonly ToWriter[]): readonly (readonly Append[])[] {
  const appends = messages.flatMap((message) =>
    message.kind === 'appends' ? unflatten(message.appends) : [],
  )
  const groups: (readonly Append[])[] = []
  for (let from = 0; from < appends.length; from += mostInGroup) {
    groups.push(appends.slice(from, from + mostInGroup))
  }
  return groups
}

function bytesOf(group: readonly Append[]): number {
  let bytes = 0
  for (const { facts } of group) {
    for (const { data, metadata } of facts) bytes += data.length + metadata.length
  }
  return bytes
}

try {
  start()
} catch (error) {
  const known = error instanceof StoreNotOpened
  send({
    kind: 'not_opened',
    reason: known ? error.message : `${path} cannot be opened for writing: ${reasonOf(error)}`,
  })
  inbox.close()
}
