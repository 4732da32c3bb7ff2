import { spawn, type ChildProcess } from 'node:child_process'
import { afterEach } from '@jest/globals'
import { startedProgram } from './started-programs.js'

const program = startedProgram('dossier')
const running = new Set<ChildProcess>()

/** Kills processes that a failed test left behind. */
afterEach(() => {
  for (const child of running) child.kill('SIGKILL')
})

export interface CopyEnding {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** The built copy command, started as a separate process. */
export class StartedCopy {
  readonly ended: Promise<CopyEnding>
  private readonly child: ChildProcess

  constructor(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const child = spawn(process.execPath, [program, 'copy', ...words], {
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    running.add(child)
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (text: Buffer) => (stdout += String(text)))
    child.stderr.on('data', (text: Buffer) => (stderr += String(text)))
    this.ended = new Promise((resolve) => {
      child.once('close', (code, signal) => {
        running.delete(child)
        resolve({ code, signal, stdout, stderr })
      })
    })
    this.child = child
  }

  kill(): Promise<CopyEnding> {
    this.child.kill('SIGKILL')
    return this.ended
  }
}

/** Returns the number or digest beside a label of the printed table. */
export function shown({ stdout }: CopyEnding, label: string): string | undefined {
  const line = stdout.split('\n').find((one) => one.startsWith(`${label} `))
  return line?.slice(label.length).trim()
}
