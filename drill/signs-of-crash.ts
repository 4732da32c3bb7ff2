/** What a service prints when it has made a mistake: unhandled, fatal, of the runtime, or a 500. */
const signs =
  /"level":60|unhandled|uncaught|a mistake of ours|internal_error|the store is gone|fatal error|^\(node:[0-9]+\)|^Error|^[A-Z][a-z]+Error/i

/** The lines that tell of one. */
export function signsOfCrash(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => signs.test(line))
}
