import type { Ending } from '../test/support/service-process.js'

/** Matches log lines about bugs: unhandled errors, fatal errors, warnings of Node, and 500 replies. */
const signs =
  /"level":60|unhandled|uncaught|a mistake of ours|internal_error|the store is gone|fatal error|^\(node:[0-9]+\)|^Error|^[A-Z][a-z]+Error/i

/** The log message of a service that ends itself because it cannot use its store any more. */
const storeGone = 'the store is gone'
/** The prefix of the message of a service that refuses to start. */
const refusal = 'dossier: '

/** Returns the lines about bugs. */
export function signsOfCrash(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => signs.test(line))
}

/** Like `signsOfCrash`, for a service that is allowed to lose its store. */
export function signsOfCrashButLoss(lines: readonly string[]): readonly string[] {
  return signsOfCrash(lines).filter((line) => !line.includes(storeGone))
}

/** Returns whether the service ended itself on purpose, with a log line that gives the reason. */
export function hasGivenUp({ code, signal }: Ending, lines: readonly string[]): boolean {
  if (code === 0 || signal !== null) return false
  return lines.some((line) => line.includes(storeGone)) && !signsOfCrashButLoss(lines).length
}

/** Returns whether the service refused to start, with a log line that gives the reason, and without a bug. */
export function hasRefusedToStart({ code }: Ending, lines: readonly string[]): boolean {
  if (code !== 1 || signsOfCrash(lines).length > 0) return false
  return (
    lines.some((line) => line.startsWith(refusal)) && !lines.some((line) => /^ +at /.test(line))
  )
}
