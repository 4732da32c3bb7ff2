import { randomUUID } from 'node:crypto'

/** Whether a request reads or writes. A preview of a rule reads. */
export type RefusalKind = 'read' | 'write'

/** A request, or an item of a batch, that was refused with a 4xx status. */
export interface Refusal {
  readonly kind: RefusalKind
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
 * values from the request, and only names that look like field names. The reads and the writes of an
 * API key are two groups. A full list drops the oldest refusal of the largest group. So a busy sender
 * cannot evict the refusals of other senders, and reads in a loop cannot evict the writes of their key.
 */
export class Refusals {
  private readonly process = randomUUID().slice(0, 8)
  private readonly groups = new Map<string, Numbered[]>()
  private size = 0
  private last = 0
  /** The highest number of a dropped refusal, by its kind. */
  private readonly lastDropped: Record<RefusalKind, number> = { read: 0, write: 0 }
  private unauthenticated = 0

  constructor(private readonly now: () => Date) {}

  add(refusal: Refusal): void {
    this.last += 1
    const number = this.last
    const few = refusal.details.slice(0, maxDetails)
    const details = few.map(({ path, code }) => ({ path: plainPath(path), code }))
    const listed = { ...refusal, details, id: this.idOf(number), at: this.now().toISOString() }
    const group = groupOf(refusal)
    const own = this.groups.get(group) ?? []
    own.push({ number, refusal: listed })
    this.groups.set(group, own)
    this.size += 1
    if (this.size > maxRefusals) this.dropOldest()
  }

  /** Counts a request without a valid API key. Such requests are not listed, because anybody can send them. */
  addUnauthenticated(): void {
    this.unauthenticated += 1
  }

  /**
   * Returns the refusals of some kinds after a cursor, oldest first. Returns undefined when the cursor
   * is malformed.
   */
  page(
    after: string | undefined,
    limit: number,
    kinds: readonly RefusalKind[],
  ): RefusalsPage | undefined {
    const place = after === undefined ? { process: this.process, number: 0 } : placeIn(after)
    if (place === undefined) return undefined
    const isOurs = place.process === this.process && place.number <= this.last
    const number = isOurs ? place.number : 0
    const dropped = Math.max(...kinds.map((kind) => this.lastDropped[kind]))
    const reset = after !== undefined && (!isOurs || number < dropped)
    const items = [...this.groups.values()]
      .flatMap((own) => own.filter((one) => one.number > number))
      .filter(({ refusal }) => kinds.includes(refusal.kind))
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
    let [most = []] = this.groups.values()
    for (const own of this.groups.values()) if (own.length > most.length) most = own
    const dropped = most.shift()
    if (dropped === undefined) return
    this.size -= 1
    const { kind } = dropped.refusal
    this.lastDropped[kind] = Math.max(this.lastDropped[kind], dropped.number)
    if (most.length === 0) this.groups.delete(groupOf(dropped.refusal))
  }
}

function groupOf({ kind, key }: Refusal): string {
  return `${kind} ${key}`
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
