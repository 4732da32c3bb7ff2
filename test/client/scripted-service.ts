import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach } from '@jest/globals'
import { Dossier, type DossierOptions } from '../../src/client/dossier.js'

export interface Received {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The value of the JSON; undefined where there was none. */
  readonly body: unknown
}

/** Answers one request, however it likes. */
export type Step = (response: ServerResponse, request: Received) => void | Promise<void>

const open = new Set<ScriptedService>()

afterEach(async () => {
  await Promise.all([...open].map((service) => service.close()))
})

/** A local HTTP server that answers by a script: each request by the next step, later ones by the last. */
export class ScriptedService {
  readonly received: Received[] = []
  private readonly server = createServer((request, response) => {
    void this.take(request, response)
  })

  private constructor(private readonly steps: readonly Step[]) {}

  static async start(...steps: readonly Step[]): Promise<ScriptedService> {
    const service = new ScriptedService(steps)
    await new Promise<void>((resolve) => service.server.listen(0, '127.0.0.1', resolve))
    open.add(service)
    return service
  }

  get url(): string {
    const { port } = this.server.address() as AddressInfo
    return `http://127.0.0.1:${String(port)}`
  }

  client(options: Partial<DossierOptions> = {}): Dossier {
    return new Dossier({ url: this.url, key: 'a-key', ...options })
  }

  async close(): Promise<void> {
    open.delete(this)
    this.server.closeAllConnections()
    await new Promise((resolve) => this.server.close(resolve))
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const url = new URL(request.url ?? '/', 'http://scripted')
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, value?.toString()]),
    )
    const received: Received = {
      method: request.method ?? '',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers,
      body: text === '' ? undefined : JSON.parse(text),
    }
    this.received.push(received)
    const step = this.steps[Math.min(this.received.length, this.steps.length) - 1]
    await step?.(response, received)
  }
}

type Headers = Readonly<Record<string, string>>

/** A success with this data. */
export function success(data: unknown, headers: Headers = {}, status = 200): Step {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify({ status: 'success', data }))
  }
}

export function faultBody(code: string, details: readonly object[] = []) {
  return { code, message: `It is ${code}.`, details, request_id: 'r-1' }
}

/** A fault in the service's form. */
export function fault(status: number, code: string, headers: Headers = {}): Step {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify({ status: 'error', error: faultBody(code) }))
  }
}

/** What a proxy says in its own words. */
export function foreign(status: number, text = '<html>', headers: Headers = {}): Step {
  return (response) => {
    response.writeHead(status, { 'content-type': 'text/html', ...headers })
    response.end(text)
  }
}

/** The connection breaks when the request has arrived. */
export const broken: Step = (response) => {
  response.destroy()
}

/** The connection breaks in the middle of a success. */
export const cutShort: Step = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
  response.write('{"status":', () => response.destroy())
}

/** As a browser shows a reply that broke within its headers: without the last ones, and empty. */
export function cutInHeaders(status: number, headers: Headers = {}): Step {
  return (response) => {
    response.sendDate = false
    response.useChunkedEncodingByDefault = false
    response.writeHead(status, headers)
    response.end()
  }
}

/** No reply ever comes. */
export const silent: Step = () => undefined
