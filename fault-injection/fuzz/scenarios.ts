import fc from 'fast-check'
import { keyPart, type Keys } from './heads.js'
import { requestDrafts, write, type RequestDraft } from './request-drafts.js'
import type { SentRequest } from './sent-request.js'
import { wrecks } from './wrecks.js'

/** The requests of one connection, and how they are sent. Each scenario has its own entities. */
export interface Scenario {
  readonly requests: readonly SentRequest[]
  /** The points at which the bytes of each request are split, as shares of its length. */
  readonly cuts: readonly number[]
  readonly ending: Ending
}

/**
 * The end of a scenario. `whole`: all requests are sent and answered. `reset`: the connection is reset after a
 * share of the last request's bytes.
 */
export type Ending = { readonly kind: 'whole' } | { readonly kind: 'reset'; readonly share: number }

interface Repeat {
  readonly again: number
  readonly as: 'the same' | 'another body'
}

type Draft = RequestDraft | Repeat

export interface Setting {
  readonly keys: Keys
  readonly bodyLimit: number
}

const share = fc.double({ min: 0, max: 1, noNaN: true })
const cuts = fc.oneof(fc.constant([]), fc.array(share, { maxLength: 12 }))

/** Generates scenarios. `tag` is part of the external ids of the scenario's entities. */
export function scenarios(tag: string, setting: Setting): fc.Arbitrary<Scenario> {
  const repeat = fc.record({
    again: fc.nat(3),
    as: fc.constantFrom('the same' as const, 'the same' as const, 'another body' as const),
  })
  const draft: fc.Arbitrary<Draft> = fc.oneof(
    { weight: 4, arbitrary: requestDrafts(setting.keys) },
    { weight: 1, arbitrary: repeat },
  )
  const drafts = fc.array(draft, { minLength: 1, maxLength: 8 })
  const requests = drafts.map((all) => writeAll(all, tag, setting))
  // These requests have no idempotency key. Nobody reads the replies to mutated bytes, so a keyed request could be
  // stored unnoticed.
  const keyless = fc
    .array(requestDrafts({ write: 'no-key', read: 'no-key' }), { minLength: 1, maxLength: 3 })
    .map((all) => writeAll(all, tag, setting))
  return fc.oneof(
    { weight: 12, arbitrary: conversations(requests) },
    { weight: 4, arbitrary: wrecked(requests, tag, setting.keys) },
    { weight: 3, arbitrary: mutated(keyless) },
    { weight: 2, arbitrary: cutOff(requests) },
    { weight: 1, arbitrary: garbage },
  )
}

function conversations(requests: fc.Arbitrary<readonly SentRequest[]>): fc.Arbitrary<Scenario> {
  return fc.tuple(requests, cuts).map(([all, places]) => ({
    requests: upToLast(all),
    cuts: places,
    ending: { kind: 'whole' },
  }))
}

/** Generates valid requests, a broken one, and a last one that the service must never read. */
function wrecked(
  requests: fc.Arbitrary<readonly SentRequest[]>,
  tag: string,
  { write: key }: Keys,
): fc.Arbitrary<Scenario> {
  const right = ['Host: dossier', `Authorization: Bearer ${key}`, 'Content-Type: application/json']
  return fc.tuple(requests, wrecks, cuts, fc.boolean()).map(([before, wreck, places, more]) => {
    const smuggled = JSON.stringify({ external_id: `${tag}-smuggled` })
    const bytes = wreck.write(right, JSON.stringify({ external_id: `${tag}-wreck` }))
    const head = ['POST /entities HTTP/1.1', ...right, `Content-Length: ${String(smuggled.length)}`]
    const canary = `${head.join('\r\n')}\r\n\r\n${smuggled}`
    const sent = unforeseen(
      wreck.kind,
      Buffer.from(`${bytes}${more ? canary : ''}`, 'latin1'),
      'wreck',
    )
    return {
      requests: [...before.filter(({ last }) => !last).slice(0, 3), sent],
      cuts: places,
      ending: { kind: 'whole' },
    }
  })
}

function mutated(requests: fc.Arbitrary<readonly SentRequest[]>): fc.Arbitrary<Scenario> {
  const act = fc.constantFrom('put', 'in', 'out', 'double')
  const change = fc.tuple(share, fc.integer({ min: 0, max: 255 }), act)
  const changes = fc.array(change, { minLength: 1, maxLength: 3 })
  return fc.tuple(requests, changes, cuts).map(([all, made, places]) => {
    let bytes = Buffer.concat(all.filter(({ method }) => method !== 'HEAD').map((one) => one.bytes))
    for (const [where, byte, how] of made) {
      const at = Math.floor(where * where * bytes.length)
      const [left, rest] = [bytes.subarray(0, at), bytes.subarray(at)]
      const put =
        how === 'double' ? rest.subarray(0, byte) : Buffer.from(how === 'out' ? [] : [byte])
      bytes = Buffer.concat([left, put, how === 'put' || how === 'out' ? rest.subarray(1) : rest])
    }
    const sent = unforeseen('changed bytes', bytes, 'any')
    return { requests: [sent], cuts: places, ending: { kind: 'whole' } }
  })
}

function cutOff(requests: fc.Arbitrary<readonly SentRequest[]>): fc.Arbitrary<Scenario> {
  return fc.tuple(requests, cuts, share).map(([all, places, until]) => ({
    requests: all.filter(({ last }) => !last),
    cuts: places,
    ending: { kind: 'reset', share: until },
  }))
}

const garbage: fc.Arbitrary<Scenario> = fc
  .tuple(fc.uint8Array({ minLength: 1, maxLength: 200 }), cuts)
  .map(([bytes, places]) => ({
    requests: [unforeseen('any bytes', Buffer.from(bytes), 'any')],
    cuts: places,
    ending: { kind: 'whole' },
  }))

function unforeseen(kind: string, bytes: Buffer, expected: 'any' | 'wreck'): SentRequest {
  const about = { method: '', requestId: undefined, mayContinue: true, last: true }
  return { kind, bytes, expectation: { kind: expected }, ...about }
}

/** Returns the requests up to the one after which the connection ends. */
function upToLast(all: readonly SentRequest[]): readonly SentRequest[] {
  const end = all.findIndex(({ last }) => last)
  return end < 0 ? all : all.slice(0, end + 1)
}

function writeAll(drafts: readonly Draft[], tag: string, setting: Setting): readonly SentRequest[] {
  const written: { readonly draft: RequestDraft; readonly id: string }[] = []
  for (const [at, draft] of drafts.entries()) {
    const earlier = written.at(-1 - ('again' in draft ? draft.again : 0))
    if (!('again' in draft)) {
      written.push({ draft, id: idOf(draft, `${tag}-${String(at)}`, written) })
    } else if (earlier !== undefined) {
      written.push(repeated(earlier, draft))
    }
  }
  return written.map(({ draft, id }) => write(draft, id, setting.bodyLimit))
}

function idOf(
  draft: RequestDraft,
  tag: string,
  written: readonly { readonly id: string }[],
): string {
  const { about } = draft
  if ('spell' in about) return about.spell(tag)
  return written.at(-1 - about.back)?.id ?? tag
}

/** Returns the request once more, with its idempotency key or a new one. */
function repeated({ draft, id }: { draft: RequestDraft; id: string }, { as }: Repeat) {
  // A batch has no key of its own; its items can have keys.
  if (draft.path === '/batch') return { draft, id }
  const key =
    draft.key.status === 'ok' && draft.key.key === undefined ? keyPart('again') : draft.key
  if (as === 'the same') return { draft: { ...draft, key }, id }
  const other = { external_id: id, properties: { another: true } }
  const event = { entity_external_id: id, name: 'another' }
  const text = JSON.stringify(draft.path === '/entities' ? other : event)
  const body = { kind: 'another body', write: () => Buffer.from(text) }
  return { draft: { ...draft, key, body }, id }
}
