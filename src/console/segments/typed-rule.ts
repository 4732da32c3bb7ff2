import type { Rule } from '../../client/dossier.js'
import { placeAt } from './place-in-json.js'

/** What is typed as a rule: JSON, or why it is none. Whether it is a rule, the service says. */
export type TypedRule = { readonly rule: Rule } | { readonly fault: string }

export function typedRule(text: string): TypedRule {
  try {
    return { rule: JSON.parse(text) as Rule }
  } catch (error) {
    const message = error instanceof Error ? error.message : ''
    const [, offset] = /position ([0-9]+)/.exec(message) ?? []
    const at = placeAt(text, offset === undefined ? text.length : Number(offset))
    return {
      fault: `Line ${String(at.line)}, column ${String(at.column)}: this is no JSON from here on.`,
    }
  }
}
