import type { DiskFault, FailingCalls } from '../test/support/disk-faults.js'

/** A disk fault, and the moment at which it occurs. */
export interface IoFault {
  readonly label: string
  readonly moment: 'at start' | 'under load' | 'at stop'
  /** The affected files of a database, by their suffixes. */
  readonly files: readonly ('' | '-wal')[]
  /** The system calls that fail. Absent when the files may not grow, so that writes are partial. */
  readonly calls: readonly (readonly string[])[]
  readonly error: FailingCalls['error']
  /** Whether the call fails only once. */
  readonly once?: boolean
  /** Whether the smoke run includes the fault. */
  readonly smoke?: boolean
}

const reads = ['pread64']
const writes = ['pwrite64']
const flushes = ['fsync', 'fdatasync']
const truncations = ['ftruncate']

const log = { name: 'the log', files: ['-wal'] } as const
const database = { name: 'the database', files: [''] } as const
const both = { name: 'both files', files: ['', '-wal'] } as const

type Place = typeof log | typeof database | typeof both

function fault(
  moment: IoFault['moment'],
  error: IoFault['error'],
  what: string,
  { name, files }: Place,
  ...calls: readonly (readonly string[])[]
): IoFault {
  return { label: `${moment}: ${error}, ${what} ${name}`, moment, files, calls, error }
}

function inSmoke(one: IoFault): IoFault {
  return { ...one, smoke: true }
}

const shortWrites = { ...fault('under load', 'EIO', '', both), label: 'under load: short writes' }

/**
 * All faults. Only WAL checkpoints write to the database file. A checkpoint beside a busy writer does not flush
 * that file, but the checkpoint at the stop does.
 */
export const ioFaults: readonly IoFault[] = [
  inSmoke(fault('at start', 'EIO', 'reads of', log, reads)),
  fault('at start', 'EIO', 'reads of', database, reads),
  fault('under load', 'EIO', 'reads of', log, reads),
  fault('under load', 'EIO', 'reads of', database, reads),
  fault('under load', 'EIO', 'writes to', log, writes),
  fault('under load', 'ENOSPC', 'writes to', log, writes),
  fault('under load', 'EIO', 'writes to', database, writes),
  fault('under load', 'ENOSPC', 'writes to', database, writes),
  fault('under load', 'EIO', 'flushes of', log, flushes),
  fault('under load', 'ENOSPC', 'flushes of', log, flushes),
  inSmoke(fault('under load', 'EIO', 'flushes and reads of', both, flushes, reads)),
  fault('under load', 'EIO', 'writes and reads of', both, writes, reads),
  shortWrites,
  inSmoke({ ...fault('at stop', 'EIO', 'truncation of', log, truncations), once: true }),
  fault('at stop', 'ENOSPC', 'writes to', database, writes),
  { ...fault('at stop', 'EIO', 'flushes of', database, flushes), once: true },
  fault('at stop', 'EIO', 'flushes of', both, flushes),
  fault('at stop', 'EIO', 'reads of', log, reads),
]

/** Returns the fault for the files of this database. `when` selects the failing calls. */
export function diskFault({ files, calls, error }: IoFault, path: string, when: string): DiskFault {
  return {
    paths: files.map((end) => `${path}${end}`),
    failing: calls.map((names) => ({ calls: names, error, when })),
  }
}
