import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { MemoryFacts, PlacedFact } from './memory-facts.js'
import type { PublishedSegment } from './published-segment.js'

export interface Fault {
  readonly status: number
  readonly code: string
}

export const apiKey = 'a-key-of-this-test'
const membersOnPage = 3

/** What a mirror asks of the service, over HTTP: the list, the segment and the feed. */
export class ServiceDouble {
  /** Path and sent position of each request. */
  readonly seen: { readonly path: string; readonly position: string | undefined }[] = []
  /** Called when a page of members was asked for, before it is answered. */
  beforeMembers: () => Promise<void> = () => Promise.resolve()
  /** What a request gets in place of its answer. */
  faultOf: (path: string) => Fault | 'reset' | undefined = () => undefined
  private readonly streams = new Set<ServerResponse>()
  private readonly server = createServer((request, response) => {
    void this.answer(request, response)
  })

  private constructor(
    private readonly segment: PublishedSegment,
    private readonly log: MemoryFacts | undefined,
  ) {}

  /** `log`: what the feed has; a test of EventStoreDB has none. */
  static async start(
    segment: PublishedSegment,
    log?: MemoryFacts,
    port = 0,
  ): Promise<ServiceDouble> {
    const double = new ServiceDouble(segment, log)
    double.server.listen(port, '127.0.0.1')
    await once(double.server, 'listening')
    return double
  }

  get url(): URL {
    const { port } = this.server.address() as AddressInfo
    return new URL(`http://127.0.0.1:${String(port)}`)
  }

  breakStreams(): void {
    for (const stream of this.streams) stream.destroy()
  }

  /** The heartbeat of the streams. */
  beat(): void {
    const cursor = cursorOf(this.log?.facts.at(-1))
    for (const stream of this.streams) stream.write(`id: ${cursor}\n\n`)
  }

  async close(): Promise<void> {
    this.server.closeAllConnections()
    this.server.close()
    await once(this.server, 'close')
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    const { position, authorization } = request.headers
    const sent = typeof position === 'string' ? position : undefined
    this.seen.push({ path: request.url ?? '', position: sent })
    const fault = this.faultOf(pathname) ?? this.faultIn(authorization, sent)
    if (fault === 'reset') request.socket.resetAndDestroy()
    else if (fault !== undefined) refuse(response, fault)
    else if (pathname === '/facts') this.facts(response, searchParams)
    else if (pathname.endsWith('/members')) await this.members(response, searchParams)
    else this.describe(response)
  }

  private faultIn(authorization = '', sent = '0'): Fault | undefined {
    if (authorization !== `Bearer ${apiKey}`) return { status: 401, code: 'unauthorized' }
    if (BigInt(sent) <= this.segment.position) return undefined
    return { status: 503, code: 'read_model_behind' }
  }

  private get notServed(): Fault | undefined {
    if (this.segment.served !== undefined) return undefined
    if (this.segment.version > 0 && !this.segment.isRetired)
      return { status: 503, code: 'building' }
    return { status: 404, code: 'segment_not_found' }
  }

  /** A page has whoever is in at its own moment. */
  private async members(response: ServerResponse, query: URLSearchParams): Promise<void> {
    await this.beforeMembers()
    const { served, entities, position } = this.segment
    if (served === undefined) {
      refuse(response, this.notServed ?? { status: 500, code: 'internal_error' })
      return
    }
    const begin = Number(query.get('cursor') ?? 0)
    const rest = [...entities.entries()].slice(begin).filter(([, id]) => served.members.has(id))
    const page = rest.slice(0, membersOnPage)
    const last = page.at(-1)?.[0] ?? 0
    send(response, position, {
      items: page.map(([, id]) => ({ external_id: id, entity_id: id, since: '' })),
      version: served.version,
      members: served.members.size,
      digest: this.segment.digest,
      next_cursor: rest.length > page.length ? String(last + 1) : null,
    })
  }

  private describe(response: ServerResponse): void {
    const { served, digest, position, isRetired, version } = this.segment
    if (isRetired || version === 0) refuse(response, { status: 404, code: 'segment_not_found' })
    else
      send(response, position, {
        status: served?.version === version ? 'live' : 'building',
        serving_version: served?.version ?? null,
        members: served?.members.size ?? null,
        digest: served === undefined ? null : digest,
      })
  }

  private facts(response: ServerResponse, query: URLSearchParams): void {
    const { log } = this
    if (log === undefined) {
      refuse(response, { status: 404, code: 'route_not_found' })
      return
    }
    const [after = '', idBegins] = (query.get('after') ?? '').split('.')
    const there = log.facts.find(({ position }) => position === BigInt(after))
    if (idBegins !== undefined && there?.fact.id.startsWith(idBegins) !== true) {
      refuse(response, { status: 412, code: 'position_unknown' })
      return
    }
    const types = (query.get('types') ?? '').split(',')
    this.stream(response, log, types, BigInt(after))
  }

  private stream(
    response: ServerResponse,
    log: MemoryFacts,
    types: readonly string[],
    after: bigint,
  ): void {
    let reached = after
    const sendRest = () => {
      for (const placed of log.facts.filter(({ position }) => position > reached)) {
        reached = placed.position
        if (types.includes(placed.fact.type)) response.write(frameOf(placed))
      }
    }
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    sendRest()
    response.write(`id: ${cursorOf(log.facts.at(-1))}\nevent: live\ndata: {}\n\n`)
    log.readers.add(sendRest)
    this.streams.add(response)
    response.once('close', () => {
      log.readers.delete(sendRest)
      this.streams.delete(response)
    })
  }
}

function cursorOf(placed: PlacedFact | undefined): string {
  if (placed === undefined) return 'start'
  return `${String(placed.position)}.${placed.fact.id.slice(0, 8)}`
}

function itemOf({ position, stream, fact }: PlacedFact) {
  return { position: String(position), ...fact, stream, request_id: 'a-request' }
}

function frameOf(placed: PlacedFact): string {
  const data = JSON.stringify(itemOf(placed))
  return `id: ${cursorOf(placed)}\nevent: ${placed.fact.type}\ndata: ${data}\n\n`
}

function send(response: ServerResponse, position: bigint, data: object): void {
  response.writeHead(200, { 'Content-Type': 'application/json', Position: String(position) })
  response.end(JSON.stringify({ status: 'success', data }))
}

function refuse(response: ServerResponse, { status, code }: Fault): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Retry-After': '0' })
  response.end(
    JSON.stringify({
      status: 'error',
      error: { code, message: `It is ${code}.`, details: [], request_id: 'r' },
    }),
  )
}
