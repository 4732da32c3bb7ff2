import {
  addUnknown,
  fieldsVerdict,
  isObject,
  member,
  readBody,
  type Endpoint,
} from './body-verdict.js'

/** The expected outcome of a batch, derived only from the contract. */
export type BatchVerdict =
  | { readonly kind: 'valid'; readonly items: readonly ItemVerdict[] }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'refused'; readonly details: ReadonlySet<string> }

export type ItemVerdict =
  | {
      readonly kind: 'write'
      readonly endpoint: Endpoint
      readonly fields: Readonly<Record<string, unknown>>
      readonly key: string | undefined
    }
  /** `details`: each as `PATH CODE`, with the path inside the item. */
  | { readonly kind: 'refused'; readonly details: ReadonlySet<string> }

const endpoints: ReadonlyMap<unknown, Endpoint> = new Map([
  ['create_entity', '/entities'],
  ['record_event', '/events'],
])

export function batchVerdict(bytes: Buffer): BatchVerdict {
  const value = readBody(bytes)
  if (value === undefined) return { kind: 'malformed' }
  const details = new Set<string>()
  if (!isObject(value)) return { kind: 'refused', details: details.add(' wrong_type') }
  addUnknown(details, value, ['items'])
  const items = member(value, 'items')
  for (const one of itemsFaults(items)) details.add(one)
  if (details.size > 0 || !Array.isArray(items)) return { kind: 'refused', details }
  return { kind: 'valid', items: items.filter(isObject).map(itemVerdict) }
}

function itemsFaults(items: unknown): readonly string[] {
  if (items === undefined) return ['/items required']
  if (!Array.isArray(items)) return ['/items wrong_type']
  if (items.length === 0) return ['/items empty']
  if (items.length > 1_000) return ['/items too_many']
  return items.flatMap((item, at) => (isObject(item) ? [] : [`/items/${String(at)} wrong_type`]))
}

function itemVerdict(item: object): ItemVerdict {
  const { op, idempotency_key: key, ...fields } = { ...item } as Record<string, unknown>
  const details = new Set(keyCodes(key).map((code) => `/idempotency_key ${code}`))
  const endpoint = endpoints.get(op)
  if (endpoint === undefined) {
    const code =
      op === undefined ? 'required' : typeof op === 'string' ? 'unknown_operation' : 'wrong_type'
    return { kind: 'refused', details: details.add(`/op ${code}`) }
  }
  const verdict = fieldsVerdict(endpoint, fields)
  if (verdict.kind === 'refused') for (const one of verdict.details) details.add(one)
  if (verdict.kind === 'refused' || details.size > 0) return { kind: 'refused', details }
  const kept = typeof key === 'string' ? key : undefined
  return { kind: 'write', endpoint, fields: verdict.fields, key: kept }
}

function keyCodes(key: unknown): readonly string[] {
  if (key === undefined) return []
  if (typeof key !== 'string') return ['wrong_type']
  if (key === '') return ['empty']
  if (Array.from(key).length > 255) return ['too_long']
  return /^[!-~]+$/.test(key) ? [] : ['bad_characters']
}
