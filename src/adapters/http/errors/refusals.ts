import { randomUUID } from 'node:crypto'

/** A request, or an item of one, that was refused for a mistake of its sender (4xx). */
export interface Refusal {
  readonly request_id: string
  /** The name of the key that it came with. */
  readonly key: string
  readonly method: string
  /** The pattern of the path, never the path. */
  readonly route: string
  readonly status: number
  readonly code: string
  /** What the code means: the same whatever was sent. */
  readonly message: string
  readonly details: readonly { readonly path: string; readonly code: string }[]
}

export interface ListedRefusal extends Refusal {
  readonly id: string
  readonly at: string
}

export interface RefusalsPage {
  readonly items: readonly ListedRefusal[]
  /** `after` of the next page. */
  readonly next_after: string
  /** `after` was of another process, or what came after it is not all here any more. */
  readonly reset: boolean
  /** How many requests came without a valid key since this process started: they are not listed. */
  readonly unauthenticated: number
}

interface Numbered {
  readonly number: number
  readonly refusal: ListedRefusal
}

const maxRefusals = 1_000
/** Details of one refusal, and characters of each path, at most. */
const maxDetails = 20
const maxPathLength = 200

/** Names in a path that say nothing of a person: of a field, and places in a list. */
const plainName = /^[A-Za-z_][A-Za-z0-9_-]{0,39}$|^[0-9]{1,6}$/

/**
 * The latest refusals of this process, in memory: about 4 MB at most. No value that was sent is in them,
 * and of the names only those that look like names of fields. When they are full, the oldest one goes of
 * the key that has most: one sender of many leaves the others' in place.
 */
export class Refusals {
  private readonly process = randomUUID().slice(0, 8)
  private readonly byKey = new Map<string, Numbered[]>()
  private size = 0
  private last = 0
  /** The highest number that has gone. */
  private forgotten = 0
  private unauthenticated = 0

  constructor(private readonly now: () => Date) {}

  add(refusal: Refusal): void {
    this.last += 1
    const number = this.last
    const few = refusal.details.slice(0, maxDetails)
    const details = few.map(({ path, code }) => ({ path: plainPath(path), code }))
    const listed = { ...refusal, details, id: this.idOf(number), at: this.now().toISOString() }
    const own = this.byKey.get(refusal.key) ?? []
    own.push({ number, refusal: listed })
    this.byKey.set(refusal.key, own)
    this.size += 1
    if (this.size > maxRefusals) this.forgetOne()
  }

  /** Counts a request without a valid key: anybody can send these. */
  addUnauthenticated(): void {
    this.unauthenticated += 1
  }

  /** Those after `after`, an id that was given before; the oldest first. Undefined: it is no id. */
  page(after: string | undefined, limit: number): RefusalsPage | undefined {
    const place = after === undefined ? { process: this.process, number: 0 } : placeIn(after)
    if (place === undefined) return undefined
    const isOurs = place.process === this.process && place.number <= this.last
    const number = isOurs ? place.number : 0
    const reset = after !== undefined && (!isOurs || number < this.forgotten)
    const items = [...this.byKey.values()]
      .flatMap((own) => own.filter((one) => one.number > number))
      .sort((one, other) => one.number - other.number)
      .slice(0, limit)
    return {
      items: items.map(({ refusal }) => refusal),
      next_after: this.idOf(items.at(-1)?.number ?? number),
      reset,
      unauthenticated: this.unauthenticated,
    }
  }

  private idOf(number: number): string {
    return `${this.process}-${String(number)}`
  }

  private forgetOne(): void {
    let [most = []] = this.byKey.values()
    for (const own of this.byKey.values()) if (own.length > most.length) most = own
    const gone = most.shift()
    if (gone === undefined) return
    this.size -= 1
    this.forgotten = Math.max(this.forgotten, gone.number)
    if (most.length === 0) this.byKey.delete(gone.refusal.key)
  }
}

function placeIn(id: string): { readonly process: string; readonly number: number } | undefined {
  const [, process, number] = /^([0-9a-f]{8})-([0-9]{1,15})$/.exec(id) ?? []
  return process === undefined ? undefined : { process, number: Number(number) }
}

/** The path with `…` for each name that may say something of a person. */
function plainPath(path: string): string {
  const names = path.split('/').map((name) => (name === '' || plainName.test(name) ? name : '…'))
  const plain = names.join('/')
  return plain.length > maxPathLength ? `${plain.slice(0, maxPathLength)}…` : plain
}
