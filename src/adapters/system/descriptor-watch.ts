import { closeSync, openSync, readSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { devNull } from 'node:os'
import { BackgroundLoop, type Pause } from '../../application/background-loop.js'
import type { Log } from '../../application/ports/log.js'

interface DescriptorWatchOptions {
  readonly log: Log
  readonly pause: Pause
  /** Opens a file and closes it: fails as every opening fails. */
  readonly tryOpen?: () => Promise<void>
}

const lookEveryMs = 1_000

/** So many looks in a row have to succeed before another shortage is logged: a minute. */
const looksOfRecovery = 60

/**
 * Logs when the operating system gives the process no more file descriptors. Without a descriptor Node closes
 * each new connection, and reports nothing.
 */
export class DescriptorWatch {
  private readonly loop: BackgroundLoop
  private readonly limits = new LimitsFile()
  private looksToRecovery = 0

  private constructor(private readonly options: DescriptorWatchOptions) {
    this.loop = new BackgroundLoop(options.pause)
  }

  static start(options: DescriptorWatchOptions): DescriptorWatch {
    const watch = new DescriptorWatch(options)
    watch.loop.start(async () => {
      await watch.look()
      return lookEveryMs
    }, lookEveryMs)
    return watch
  }

  async stop(): Promise<void> {
    await this.loop.stop()
    this.limits.close()
  }

  private async look(): Promise<void> {
    const { tryOpen = openAnything, log } = this.options
    const shortage = await tryOpen().then(() => undefined, shortageIn)
    if (shortage === undefined) {
      if (this.looksToRecovery > 0) this.looksToRecovery -= 1
      return
    }
    if (this.looksToRecovery === 0) {
      log.error(
        { reason: shortage, openFilesLimit: this.limits.openFiles() },
        'no file descriptor is left: new connections are closed without a reply; raise the limit of open ' +
          'files (ulimit -n)',
      )
    }
    this.looksToRecovery = looksOfRecovery
  }
}

async function openAnything(): Promise<void> {
  const file = await open(devNull)
  await file.close()
}

/** `EMFILE`: of the process; `ENFILE`: of the machine. Any other failure is no shortage of descriptors. */
function shortageIn(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error)) return undefined
  return error.code === 'EMFILE' || error.code === 'ENFILE' ? error.code : undefined
}

/** Linux's table of the limits of this process. It stays open, for without a descriptor it cannot be opened. */
class LimitsFile {
  private readonly descriptor = openedLimits()

  /** Undefined where the operating system has no such table. */
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
