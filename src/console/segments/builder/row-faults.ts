/** A fault in a rule. `path` is a JSON Pointer, relative to the rule or to a row. */
export interface RuleFault {
  readonly path: string
  readonly message: string
}

/** Returns the faults inside a row, with paths relative to the row. */
export function faultsBelow(faults: readonly RuleFault[], path: string): readonly RuleFault[] {
  return faults
    .filter((one) => one.path === path || one.path.startsWith(`${path}/`))
    .map((one) => ({ ...one, path: one.path.slice(path.length) }))
}

/** Returns the faults that are outside of all rows. */
export function faultsBeside(
  faults: readonly RuleFault[],
  paths: readonly string[],
): readonly RuleFault[] {
  return faults.filter((one) =>
    paths.every((path) => one.path !== path && !one.path.startsWith(`${path}/`)),
  )
}
