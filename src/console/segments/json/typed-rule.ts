import type { Rule } from '../../../client/dossier.js'
import { jsonFaultOffset } from './json-fault.js'
import { placeAt } from './place-in-json.js'

/** What is typed as a rule: JSON, or why it is none. Whether it is a rule, the service says. */
export type TypedRule = { readonly rule: Rule } | { readonly fault: string }

export function typedRule(text: string): TypedRule {
  try {
    return { rule: JSON.parse(text) as Rule }
  } catch {
    const { line, column } = placeAt(text, jsonFaultOffset(text))
    return {
      fault: `Line ${String(line)}, column ${String(column)}: from here on this is no JSON.`,
    }
  }
}
