import type { DossierError } from '../../client/dossier.js'
import type { RuleFault } from './builder/row-faults.js'
import { placeInJson } from './json/place-in-json.js'

/** Returns the faults that the service found in a rule, with paths relative to the rule. */
export function ruleFaults(error: DossierError | undefined): readonly RuleFault[] {
  return (error?.details ?? [])
    .filter(({ path }) => path === '/rule' || path.startsWith('/rule/'))
    .map(({ path, message }) => ({ path: path.slice('/rule'.length), message }))
}

/** Returns the faults in words, each with its position in the typed JSON. */
export function faultLines(text: string, faults: readonly RuleFault[]): readonly string[] {
  return faults.map(({ path, message }) => {
    const { line, column } = placeInJson(text, path)
    return `Line ${String(line)}, column ${String(column)}: ${message}`
  })
}
