import type { Ending } from '../test/support/service-process.js'

/** What a service prints when it has made a mistake: unhandled, fatal, of the runtime, or a 500. */
const signs =
  /"level":60|unhandled|uncaught|a mistake of ours|internal_error|the store is gone|fatal error|^\(node:[0-9]+\)|^Error|^[A-Z][a-z]+Error/i

/** What it prints when it ends itself because it cannot work with its store any longer. */
const storeGone = 'the store is gone'
/** What it prints when it does not start, and knows why. */
const refusal = 'dossier: '

/** The lines that tell of one. */
export function signsOfCrash(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => signs.test(line))
}

/** The same of a service that may lose its store. */
export function signsOfCrashButLoss(lines: readonly string[]): readonly string[] {
  return signsOfCrash(lines).filter((line) => !line.includes(storeGone))
}

/** Whether it ended itself on purpose, with a line that says why, to be started again. */
export function hasGivenUp({ code, signal }: Ending, lines: readonly string[]): boolean {
  if (code === 0 || signal !== null) return false
  return lines.some((line) => line.includes(storeGone)) && !signsOfCrashButLoss(lines).length
}

/** Whether it refused to start, with a line that says why and no stack of a mistake. */
export function hasRefusedToStart({ code }: Ending, lines: readonly string[]): boolean {
  if (code !== 1 || signsOfCrash(lines).length > 0) return false
  return (
    lines.some((line) => line.startsWith(refusal)) && !lines.some((line) => /^ +at /.test(line))
  )
}
