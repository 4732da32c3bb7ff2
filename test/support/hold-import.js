import { writeSync } from 'node:fs'
import { register } from 'node:module'
import { setInterval } from 'node:timers'
import { isMainThread } from 'node:worker_threads'

/*
 * Preloaded into a program, it makes the import of `HOLD_IMPORT` hang for ever, and says so on
 * standard error when the program has come to it.
 */
if (isMainThread) {
  register(import.meta.url)
  // Without it a program that waits for nothing but an import ends by itself.
  setInterval(() => undefined, 60_000)
}

export function resolve(specifier, context, nextResolve) {
  if (!specifier.endsWith(process.env.HOLD_IMPORT)) return nextResolve(specifier, context)
  writeSync(2, `held: ${specifier}\n`)
  return new Promise(() => undefined)
}
