import { isJsonObject, type Json } from '../../../domain/json.js'

/** A path in the context of an item. `page.url` is `['page', 'url']`. */
export type ContextPath = readonly string[]

/** Parses dotted paths. Omits a path inside another path, because the outer path covers it. */
export function contextPaths(dotted: readonly string[]): readonly ContextPath[] {
  const covers = (outer: string, inner: string) => inner.startsWith(`${outer}.`)
  const top = dotted.filter((inner) => !dotted.some((outer) => covers(outer, inner)))
  return [...new Set(top)].map((path) => path.split('.'))
}

/** Returns the values at these paths as one object. Each value comes from the first context that has it. */
export function pickedContext(
  paths: readonly ContextPath[],
  contexts: readonly (Json | undefined)[],
): Tree {
  const picked: Tree = {}
  for (const path of paths) {
    for (const context of contexts) {
      const value = valueAt(context, path)
      if (value === undefined) continue
      put(picked, path, value)
      break
    }
  }
  return picked
}

type Tree = Record<string, Json>

function valueAt(context: Json | undefined, path: ContextPath): Json | undefined {
  let at = context
  for (const step of path) {
    if (!isJsonObject(at) || !Object.hasOwn(at, step)) return undefined
    at = at[step]
  }
  return at
}

/**
 * Sets a value at a path. No path lies inside another path, so this never writes into an object of the context.
 */
function put(tree: Tree, [step = '', ...rest]: ContextPath, value: Json): void {
  if (rest.length === 0) {
    tree[step] = value
    return
  }
  const before = tree[step]
  const inner: Tree = isJsonObject(before) ? { ...before } : {}
  put(inner, rest, value)
  tree[step] = inner
}
