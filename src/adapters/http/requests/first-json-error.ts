import { visit, type JSONVisitor } from 'jsonc-parser'

/**
 * The depth at which the search ends. The parser is recursive, so deeper text could exhaust the
 * stack. No route accepts a body with this many levels.
 */
const maxDepth = 200

class Stop extends Error {
  constructor(readonly place: string | undefined) {
    super()
  }
}

/**
 * Returns the location of the first syntax error of a JSON text, such as `line 2, column 7`. Lines
 * and columns start at 1, and a column counts UTF-16 code units. Returns undefined when the first
 * 200 levels have no error.
 */
export function firstJsonError(text: string): string | undefined {
  let depth = 0
  const enter = () => {
    depth += 1
    if (depth > maxDepth) throw new Stop(undefined)
  }
  const leave = () => {
    depth -= 1
  }
  const visitor: JSONVisitor = {
    onObjectBegin: enter,
    onObjectEnd: leave,
    onArrayBegin: enter,
    onArrayEnd: leave,
    onError: (_code, _offset, _length, line, column) => {
      throw new Stop(`line ${String(line + 1)}, column ${String(column + 1)}`)
    },
  }
  try {
    visit(text.replace(/^\uFEFF/, ''), visitor, { disallowComments: true })
  } catch (error) {
    if (error instanceof Stop) return error.place
    throw error
  }
  return undefined
}
