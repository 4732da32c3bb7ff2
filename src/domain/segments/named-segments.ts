import { isJsonArray, type Json, type JsonObject } from '../json.js'

/** Where a rule names a segment. */
export interface NamedSegment {
  readonly key: string
  /** Leads from the rule to the key. */
  readonly path: readonly (string | number)[]
}

/** Every place at which a rule, as facts carry it, names a segment: `{ "segment": key }`. */
export function segmentsNamedIn(rule: JsonObject): readonly NamedSegment[] {
  const found: NamedSegment[] = []
  const visit = (node: Json | undefined, path: readonly (string | number)[]): void => {
    if (typeof node !== 'object' || node === null) return
    if (isJsonArray(node)) {
      node.forEach((part, at) => {
        visit(part, [...path, at])
      })
      return
    }
    const { segment } = node
    if (typeof segment === 'string') found.push({ key: segment, path: [...path, 'segment'] })
    for (const name of ['all', 'any', 'not']) visit(node[name], [...path, name])
  }
  visit(rule, [])
  return found
}
