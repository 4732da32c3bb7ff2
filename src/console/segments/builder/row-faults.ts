/** A fault in a rule. `path` is a JSON pointer from the rule, or from a row of it. */
export interface RuleFault {
  readonly path: string
  readonly message: string
}

/** The faults inside a row, with paths from the row. */
export function faultsBelow(faults: readonly RuleFault[], path: string): readonly RuleFault[] {
  return faults
    .filter((one) => one.path === path || one.path.startsWith(`${path}/`))
    .map((one) => ({ ...one, path: one.path.slice(path.length) }))
}

/** The faults that are in none of the rows. */
export function faultsBeside(
  faults: readonly RuleFault[],
  paths: readonly string[],
): readonly RuleFault[] {
  return faults.filter((one) =>
    paths.every((path) => one.path !== path && !one.path.startsWith(`${path}/`)),
  )
}
