import { spawn, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The root folder of the project, relative to the compiled test. */
export const root = fileURLToPath(new URL('../../../..', import.meta.url))

/** The exit and the output of a program that has ended. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly err: string
}

export interface Program {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  /** Resolves with the first line of standard output that contains the text. */
  lineWith(text: string): Promise<string>
}

/** Starts a Node program in a folder. Its environment contains only `env` and `PATH`. */
export function startProgram(
  path: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd = root,
): Program {
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, [path, ...args], { cwd, env: { PATH, ...env } })
  const printed = { out: '', err: '' }
  const waiting = new Set<() => void>()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed.out += text
    for (const look of waiting) look()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    printed.err += text
  })
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      resolve({ code, signal, ...printed })
    })
  })
  const lineWith = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const line = printed.out.split('\n').find((one) => one.includes(text))
        if (line === undefined) return
        waiting.delete(look)
        resolve(line)
      }
      waiting.add(look)
      look()
      void ended.then(({ err }) => {
        reject(new Error(`${path} ended without saying "${text}": ${err}`))
      })
    })
  return { child, ended, lineWith }
}

/** Starts the compiled program that loads the orders. */
export function startClient(url: URL, key: string, args: readonly string[] = []): Program {
  const path = '.build/examples/online-retail/main.js'
  return startProgram(path, ['--url', url.href, ...args], { DOSSIER_KEY: key })
}

/** Returns the numbers that the program printed, except the seconds. */
export function accountIn({ out }: Ended): Readonly<Record<string, number>> {
  const rows = out.split('\n').flatMap((line) => {
    const [, label, value] = /^ *(.+?) +([0-9.]+)$/.exec(line) ?? []
    return label === undefined || label === 'seconds' ? [] : [[label, Number(value)] as const]
  })
  return Object.fromEntries(rows)
}
