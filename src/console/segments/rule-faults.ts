import type { DossierError } from '../../client/dossier.js'
import type { RuleFault } from './builder/row-faults.js'
import { placeInJson } from './json/place-in-json.js'

/** The faults that the service found in a rule, with paths from the rule. */
export function ruleFaults(error: DossierError | undefined): readonly RuleFault[] {
  return (error?.details ?? [])
    .filter(({ path }) => path === '/rule' || path.startsWith('/rule/'))
    .map(({ path, message }) => ({ path: path.slice('/rule'.length), message }))
}

/** The faults in words, each with its place in the JSON that was typed. */
export function faultLines(text: string, faults: readonly RuleFault[]): readonly string[] {
  return faults.map(({ path, message }) => {
    const { line, column } = placeInJson(text, path)
    return `Line ${String(line)}, column ${String(column)}: ${message}`
  })
}
