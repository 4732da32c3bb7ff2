import { writeSync } from 'node:fs'
import { register } from 'node:module'
import { setInterval } from 'node:timers'
import { isMainThread } from 'node:worker_threads'

/*
 * Preloaded into a program. Makes the import of `HOLD_IMPORT` hang forever, and reports on standard error when the
 * program reaches that import.
 */
if (isMainThread) {
  register(import.meta.url)
  // Without a timer, a program that only waits for an import would exit.
  setInterval(() => undefined, 60_000)
}

export function resolve(specifier, context, nextResolve) {
  if (!specifier.endsWith(process.env.HOLD_IMPORT)) return nextResolve(specifier, context)
  writeSync(2, `held: ${specifier}\n`)
  return new Promise(() => undefined)
}
