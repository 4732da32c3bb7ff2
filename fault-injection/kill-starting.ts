import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { launch, type Ending } from '../test/support/service-process.js'

/**
 * Starts the program and kills it after the given milliseconds, possibly before it listens. Resolves with its
 * output and its end. The program may have ended earlier by itself.
 */
export async function killStarting(
  folder: string,
  env: Readonly<Record<string, string>>,
  afterMs: number,
): Promise<Ending & { readonly lines: readonly string[] }> {
  const child = launch(folder, env)
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr])
    if (stream !== null) createInterface({ input: stream }).on('line', (line) => lines.push(line))
  const ended = once(child, 'close')
  await Promise.race([ended, pause(afterMs, undefined, { ref: false })])
  child.kill('SIGKILL')
  await ended
  return { code: child.exitCode, signal: child.signalCode, lines }
}
