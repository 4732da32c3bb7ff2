import { existsSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import { StoreNotOpened } from '../../../../application/ports/refusal.js'
import { Checkpoints } from './checkpoints.js'
import { ErasedStreams } from '../../file/erased-streams.js'
import type { DataLock } from '../../file/data-lock.js'
import { isDamage, prepareRows, type Database, reasonOf } from '../../file/driver.js'
import { unflatten, type QueuedAppend } from './flat-appends.js'
import { GroupWriter } from './group-writer.js'
import { damageMessage } from '../../file/inspect-file.js'
import { openConnection, openOwned } from '../../file/open-connection.js'
import { OpenFiles } from '../../file/open-files.js'
import { messagesOn } from '../../threads.js'
import { CommitSignal } from '../log/commit-signal.js'
import { numbersIn } from '../../file/row.js'
import { NameSecret } from '../../file/name-secret.js'
import { secretPath } from '../../file/paths.js'
import type {
  EraseResponse,
  EraseStep,
  FromWriter,
  ToWriter,
  WriterData,
  WriterResponse,
} from './protocol.js'
import type { LoadedStep } from './stream-erasing.js'
import { WatchedWriter } from './watched-writer.js'

/**
 * Entry point of the writer thread, which owns the database file. A commit waits for the disk, and a disk can
 * hang. Because the wait is in this thread, a hanging disk delays only appends. Appends that arrive during a
 * flush form the next group.
 */
const { path, lockWaitMs, port: inbox, commits: commitMemory } = workerData as WriterData
const commits = new CommitSignal(commitMemory)

/**
 * The most appends in one group. The limit bounds how long the first append of a group waits for its outcome.
 */
const maxGroupSize = 1_024

/** The longest time that a stop or an erasure waits for readers of the file, in milliseconds. */
const shortWaitMs = 200

function send(message: FromWriter): void {
  inbox.postMessage(message)
}

function start(): void {
  const { db, lock } = openOwned(path, lockWaitMs)
  try {
    const { writer, files } = openWriter(db)
    serve(writer, files, lock)
  } catch (error) {
    db.close()
    lock.release()
    throw error
  }
}

function serve(writer: WatchedWriter, files: OpenFiles, lock: DataLock): void {
  const checkpoints = new Checkpoints(() => writer.db, files, reportTrouble)
  inbox.on('message', (first: ToWriter) => {
    const messages = [first, ...messagesOn<ToWriter>(inbox)]
    const groups = groupsIn(messages)
    const answered = messages.filter(({ kind }) => kind === 'appends').length
    groups.forEach((group, at) => {
      const done = at === groups.length - 1 ? answered : 0
      const { logPages, ...written } = writer.write(group)
      send({ kind: 'outcomes', messages: done, ...written, ...checkpoints.takeMeasured() })
      // Signals the commit and requests a WAL checkpoint only after the outcomes are sent, because callers wait
      // for the outcomes.
      if (written.facts > 0) commits.notify()
      checkpoints.committed(logPages)
    })
    respond(writer, messages, checkpoints)
    if (messages.some(({ kind }) => kind === 'close')) {
      void checkpoints.close().then(() => {
        if (files.lost === undefined) indexKeys(writer)
        // Keeps the WAL when the database file is gone, because the WAL is then the only copy of the data. The
        // next start finds the WAL and refuses to create a new database next to it.
        if (existsSync(path)) emptyLog(writer.db)
        writer.close()
        lock.release()
        inbox.close()
      })
    }
  })
  send({ kind: 'opened' })
}

/**
 * Responds to each request in `messages`. While a disk hangs, health checks accumulate and time out, so all health
 * checks in `messages` share one check of the writer.
 */
function respond(
  writer: WatchedWriter,
  messages: readonly ToWriter[],
  checkpoints: Checkpoints,
): void {
  let checked: WriterResponse | undefined
  for (const message of messages) {
    if (message.kind !== 'request') continue
    const { id, request } = message
    const sendResponse = (response: WriterResponse) => {
      send({ kind: 'response', id, response })
    }
    switch (request.kind) {
      case 'check':
        sendResponse((checked ??= check(writer)))
        break
      case 'read':
        sendResponse(writer.read(request.stream, request.from))
        break
      case 'empty_log':
        sendResponse(emptied(writer, request.entityIds))
        break
      default:
        void loaded(request).then((step) => {
          const { response, logPages } = writer.erase(step)
          sendResponse(response)
          if (response.kind === 'closed') commits.notify()
          checkpoints.committed(logPages)
        })
    }
  }
}

async function loaded(step: EraseStep): Promise<LoadedStep> {
  if (step.kind !== 'remove') return step
  return { ...step, placeholders: await import('./placeholders.js') }
}

function check(writer: WatchedWriter): WriterResponse {
  const reason = writer.check()
  return reason === undefined ? { kind: 'ready' } : { kind: 'unavailable', reason }
}

/**
 * Moves the pages of the WAL into the database file. Returns whether the WAL is empty, and the former stream names
 * that the search for traces needs. The WAL is not emptied while another process reads it.
 */
function emptied(writer: WatchedWriter, entityIds: readonly string[]): EraseResponse {
  try {
    return writer.use((db) => {
      const isEmpty = truncateLog(db)
      const erased = new ErasedStreams(db)
      const names = new Map<string, string>()
      for (const entityId of entityIds) {
        const name = erased.find(entityId)?.name
        if (name !== undefined && !erased.livesAgain(name)) names.set(entityId, name)
      }
      return { kind: 'emptied', isEmpty, isOverwritten: erased.alwaysOverwrote(), names }
    })
  } catch (error) {
    return { kind: 'unavailable', reason: reasonOf(error) }
  }
}

/**
 * Copies the WAL into the database file and truncates the WAL. Returns true when both succeeded. The short busy
 * time-out limits how long appends wait for readers of the file.
 */
function truncateLog(db: Database): boolean {
  db.exec(`PRAGMA busy_timeout = ${String(shortWaitMs)}`)
  try {
    const [isBusy] = numbersIn(prepareRows(db, 'PRAGMA wal_checkpoint(TRUNCATE)').get())
    return isBusy !== 1
  } finally {
    db.exec(`PRAGMA busy_timeout = ${String(lockWaitMs)}`)
  }
}

function reportTrouble(reason: string): void {
  send({ kind: 'trouble', reason })
}

/**
 * Writes the remaining idempotency keys to the index. If the write fails, the next start reads the keys from
 * the facts.
 */
function indexKeys(writer: WatchedWriter): void {
  try {
    writer.indexKeys()
  } catch (error) {
    reportTrouble(`the index of keys is incomplete until the next start: ${reasonOf(error)}`)
  }
}

/**
 * Moves the pages of the WAL into the database file, so that a clean stop leaves one complete file. A reader of
 * the file, such as a back-up or a shell, may prevent this. The stop does not wait for the reader, and the next
 * start reads the WAL.
 */
function emptyLog(db: Database): void {
  try {
    if (!truncateLog(db))
      reportTrouble(
        'another program reads the data file, so its write-ahead log stays until the next start',
      )
  } catch (error) {
    reportTrouble(`the write-ahead log stays until the next start: ${reasonOf(error)}`)
  }
}

function openWriter(db: Database): { readonly writer: WatchedWriter; readonly files: OpenFiles } {
  const secret = new NameSecret(secretPath(path), new ErasedStreams(db).suppressesAny())
  // Checks at the start of the thread, before the first request, whether the file can be written.
  db.exec('BEGIN IMMEDIATE')
  db.exec('ROLLBACK')
  const onLost = (reason: string) => {
    send({ kind: 'lost', reason })
  }
  const files = new OpenFiles(path, { onLost })
  let first: Database | undefined = db
  const writer = new GroupWriter(() => {
    if (first === undefined) files.assertInPlace()
    const opened = first ?? openConnection(path, lockWaitMs)
    first = undefined
    return opened
  }, secret)
  return { writer: new WatchedWriter(writer, files), files }
}

function groupsIn(messages: readonly ToWriter[]): readonly (readonly QueuedAppend[])[] {
  const appends = messages.flatMap((message) =>
    message.kind === 'appends' ? unflatten(message.appends) : [],
  )
  const groups: (readonly QueuedAppend[])[] = []
  for (let from = 0; from < appends.length; from += maxGroupSize) {
    groups.push(appends.slice(from, from + maxGroupSize))
  }
  return groups
}

try {
  start()
} catch (error) {
  send({ kind: 'not_opened', reason: whyNotOpened(error) })
  inbox.close()
}

function whyNotOpened(error: unknown): string {
  if (error instanceof StoreNotOpened) return error.message
  if (isDamage(error)) return damageMessage(path, reasonOf(error))
  return `${path} cannot be opened for writing: ${reasonOf(error)}`
}
