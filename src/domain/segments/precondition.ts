/** What a caller wants to be true of a live segment before it is changed. */
export interface Precondition {
  /** It has one of these versions; `any`: it is live. */
  readonly match?: 'any' | readonly number[] | undefined
  /** It has none of these versions; `any`: it is not live. */
  readonly noneMatch?: 'any' | readonly number[] | undefined
}

/** `version`: of the live segment; undefined when there is none. */
export function holds({ match, noneMatch }: Precondition, version: number | undefined): boolean {
  if (match !== undefined && !isAmong(match, version)) return false
  return noneMatch === undefined || !isAmong(noneMatch, version)
}

function isAmong(versions: 'any' | readonly number[], version: number | undefined): boolean {
  if (version === undefined) return false
  return versions === 'any' || versions.includes(version)
}
