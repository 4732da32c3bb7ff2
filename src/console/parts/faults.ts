import type { DossierError } from '../../client/dossier.js'

/** Returns the faults of a field: all faults at this path of the body or below it. */
export function faultsAt(error: DossierError | undefined, path: string): readonly string[] {
  const at = (error?.details ?? []).filter(
    (one) => one.path === path || one.path.startsWith(`${path}/`),
  )
  return at.map((one) =>
    one.path === path ? one.message : `${one.path.slice(path.length)}: ${one.message}`,
  )
}

/** Returns whether every fault is shown at one of these fields. */
export function areAllPlaced(error: DossierError, paths: readonly string[]): boolean {
  const placed = paths.flatMap((path) => faultsAt(error, path)).length
  return error.details.length > 0 && placed === error.details.length
}
