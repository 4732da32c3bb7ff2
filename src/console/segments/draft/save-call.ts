import { literal, type Call } from '../../parts/calls.js'
import { isWithoutRule, ruleIn, type Draft } from './draft.js'
import type { Save } from './use-save.js'

/** Returns the request that saves a draft, or undefined while there is no rule. */
export function saveCall({ key }: Draft, { definition, ifVersion }: Save): Call | undefined {
  if (definition === undefined) return undefined
  const options = { ifVersion }
  return {
    method: 'PUT',
    path: `/segments/${key}`,
    headers:
      ifVersion === 'none' ? { 'If-None-Match': '*' } : { 'If-Match': `"${String(ifVersion)}"` },
    body: definition,
    code: `await dossier.segments.define(${literal(key)}, ${literal(definition)}, ${literal(options)})`,
  }
}

/** Returns the request that previews a draft, or undefined while there is no rule. */
export function previewCall(draft: Draft): Call | undefined {
  const typed = ruleIn(draft)
  if (isWithoutRule(draft) || !('rule' in typed)) return undefined
  const body = { rule: typed.rule, ...(draft.sum !== '' && { sum: draft.sum }) }
  return {
    method: 'POST',
    path: '/segments/preview',
    body,
    code: `console.log(await dossier.segments.preview(${literal(body)}).result())`,
  }
}
