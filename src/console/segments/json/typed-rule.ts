import type { Rule } from '../../../client/dossier.js'
import { jsonFaultOffset } from './json-fault.js'
import { placeAt } from './place-in-json.js'

/** A typed text as JSON, or the reason why it is not JSON. Only the service checks whether the JSON is a rule. */
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
