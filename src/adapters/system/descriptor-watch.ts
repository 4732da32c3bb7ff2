import { closeSync, openSync, readSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { devNull } from 'node:os'
import { BackgroundLoop, type Pause } from '../../application/background-loop.js'
import type { Log } from '../../application/ports/log.js'

interface DescriptorWatchOptions {
  readonly log: Log
  readonly pause: Pause
  /** Opens and closes a file, and rejects when that fails. Tests replace it. */
  readonly tryOpen?: () => Promise<void>
}

const lookEveryMs = 1_000

/**
 * The number of successful checks after which a new shortage is logged again. The checks span one
 * minute.
 */
const checksOfRecovery = 60

/**
 * Logs when the operating system refuses further file descriptors. Without a free descriptor, Node closes each new
 * connection and reports nothing.
 */
export class DescriptorWatch {
  private readonly loop: BackgroundLoop
  private readonly limits = new LimitsFile()
  private checksToRecovery = 0

  private constructor(private readonly options: DescriptorWatchOptions) {
    this.loop = new BackgroundLoop(options.pause)
  }

  static start(options: DescriptorWatchOptions): DescriptorWatch {
    const watch = new DescriptorWatch(options)
    watch.loop.start(async () => {
      await watch.check()
      return lookEveryMs
    }, lookEveryMs)
    return watch
  }

  async stop(): Promise<void> {
    await this.loop.stop()
    this.limits.close()
  }

  private async check(): Promise<void> {
    const { tryOpen = openAnything, log } = this.options
    const shortage = await tryOpen().then(() => undefined, shortageIn)
    if (shortage === undefined) {
      if (this.checksToRecovery > 0) this.checksToRecovery -= 1
      return
    }
    if (this.checksToRecovery === 0) {
      log.error(
        { reason: shortage, openFilesLimit: this.limits.openFiles() },
        'no file descriptor is left, so new connections are closed without a reply: raise the limit of open ' +
          'files (ulimit -n)',
      )
    }
    this.checksToRecovery = checksOfRecovery
  }
}

async function openAnything(): Promise<void> {
  const file = await open(devNull)
  await file.close()
}

/**
 * Returns the error code if the error means a shortage of descriptors: `EMFILE` for the process, `ENFILE` for the
 * machine.
 */
function shortageIn(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error)) return undefined
  return error.code === 'EMFILE' || error.code === 'ENFILE' ? error.code : undefined
}

/** Reads Linux's table of this process's limits. Keeps the table open, because opening it needs a descriptor. */
class LimitsFile {
  private readonly descriptor = openedLimits()

  /** Returns the limit of open files. Undefined when the operating system has no such table. */
  openFiles(): number | undefined {
    if (this.descriptor === undefined) return undefined
    const bytes = Buffer.alloc(4_096)
    const text = bytes.toString('utf8', 0, readSync(this.descriptor, bytes, 0, bytes.length, 0))
    const [, soft] = /^Max open files\s+(\d+)/m.exec(text) ?? []
    return soft === undefined ? undefined : Number(soft)
  }

  close(): void {
    if (this.descriptor !== undefined) closeSync(this.descriptor)
  }
}

function openedLimits(): number | undefined {
  return process.platform === 'linux' ? openSync('/proc/self/limits', 'r') : undefined
}
