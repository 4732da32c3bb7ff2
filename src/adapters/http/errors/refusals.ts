import { randomUUID } from 'node:crypto'

/** A write, or an item of a batch, that was refused with a 4xx status. */
export interface Refusal {
  readonly request_id: string
  /** The name of the API key that the request was sent with. */
  readonly key: string
  readonly method: string
  /** The route's path pattern. Never the actual path, which could contain an external_id. */
  readonly route: string
  readonly status: number
  readonly code: string
  /** The default message of the error code. It never contains a value from the request. */
  readonly message: string
  readonly details: readonly { readonly path: string; readonly code: string }[]
}

interface ListedRefusal extends Refusal {
  readonly id: string
  readonly at: string
}

interface RefusalsPage {
  readonly items: readonly ListedRefusal[]
  /**
   * The `cursor` of the next page. It is also set on the last page, for refusals that happen after
   * this reply.
   */
  readonly next_cursor: string
  /**
   * Whether refusals after the cursor are missing. This happens when another process issued the
   * cursor, or when the list has dropped refusals after it.
   */
  readonly reset: boolean
  /** The number of requests without a valid API key since this process started. These requests are not listed. */
  readonly unauthenticated: number
}

interface Numbered {
  readonly number: number
  readonly refusal: ListedRefusal
}

const maxRefusals = 1_000
/**
 * The maximum number of details of one refusal, and the maximum number of characters of each path.
 */
const maxDetails = 20
const maxPathLength = 200

/** Matches path segments that reveal nothing about a customer: field names and list indexes. */
const plainName = /^[A-Za-z_][A-Za-z0-9_-]{0,39}$|^[0-9]{1,6}$/

/**
 * Keeps the latest refusals of this process in memory, at most about 4 MB. A refusal contains no
 * values from the request. Of the names in the request, it contains only those that look like field
 * names. A full list drops the oldest refusal of the API key with the most refusals. So one busy
 * sender cannot evict the refusals of other senders.
 */
export class Refusals {
  private readonly process = randomUUID().slice(0, 8)
  private readonly byKey = new Map<string, Numbered[]>()
  private size = 0
  private last = 0
  /** The highest number among the dropped refusals. */
  private lastDropped = 0
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
    if (this.size > maxRefusals) this.dropOldest()
  }

  /** Counts a request without a valid API key. Such requests are not listed, because anybody can send them. */
  addUnauthenticated(): void {
    this.unauthenticated += 1
  }

  /**
   * Returns the refusals after a cursor, oldest first. Returns undefined when the cursor is
   * malformed.
   */
  page(after: string | undefined, limit: number): RefusalsPage | undefined {
    const place = after === undefined ? { process: this.process, number: 0 } : placeIn(after)
    if (place === undefined) return undefined
    const isOurs = place.process === this.process && place.number <= this.last
    const number = isOurs ? place.number : 0
    const reset = after !== undefined && (!isOurs || number < this.lastDropped)
    const items = [...this.byKey.values()]
      .flatMap((own) => own.filter((one) => one.number > number))
      .sort((one, other) => one.number - other.number)
      .slice(0, limit)
    return {
      items: items.map(({ refusal }) => refusal),
      next_cursor: this.idOf(items.at(-1)?.number ?? number),
      reset,
      unauthenticated: this.unauthenticated,
    }
  }

  private idOf(number: number): string {
    return `${this.process}-${String(number)}`
  }

  private dropOldest(): void {
    let [most = []] = this.byKey.values()
    for (const own of this.byKey.values()) if (own.length > most.length) most = own
    const dropped = most.shift()
    if (dropped === undefined) return
    this.size -= 1
    this.lastDropped = Math.max(this.lastDropped, dropped.number)
    if (most.length === 0) this.byKey.delete(dropped.refusal.key)
  }
}

function placeIn(id: string): { readonly process: string; readonly number: number } | undefined {
  const [, process, number] = /^([0-9a-f]{8})-([0-9]{1,15})$/.exec(id) ?? []
  return process === undefined ? undefined : { process, number: Number(number) }
}

/** Returns the path with `…` in place of each segment that could reveal something about a customer. */
function plainPath(path: string): string {
  const names = path.split('/').map((name) => (name === '' || plainName.test(name) ? name : '…'))
  const plain = names.join('/')
  return plain.length > maxPathLength ? `${plain.slice(0, maxPathLength)}…` : plain
}
