import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach } from '@jest/globals'
import { Dossier, type DossierOptions } from '../../src/client/dossier.js'

export interface Received {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The parsed JSON. Undefined without a body. */
  readonly body: unknown
}

/** Handles one request. */
export type Step = (response: ServerResponse, request: Received) => void | Promise<void>

const open = new Set<ScriptedService>()

afterEach(async () => {
  await Promise.all([...open].map((service) => service.close()))
})

/** A local HTTP server with a script. Each request gets the next step, and the last step repeats. */
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

/** Replies with success and this data. */
export function success(data: unknown, headers: Headers = {}, status = 200): Step {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify({ status: 'success', data }))
  }
}

export function faultBody(code: string, details: readonly object[] = []) {
  return { code, message: `It is ${code}.`, details, request_id: 'r-1' }
}

/** Replies with a fault in the form of the service. */
export function fault(status: number, code: string, headers: Headers = {}): Step {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify({ status: 'error', error: faultBody(code) }))
  }
}

/** Replies as a proxy does, with HTML. */
export function foreign(status: number, text = '<html>', headers: Headers = {}): Step {
  return (response) => {
    response.writeHead(status, { 'content-type': 'text/html', ...headers })
    response.end(text)
  }
}

/** Breaks the connection after the request arrived. */
export const broken: Step = (response) => {
  response.destroy()
}

/** Breaks the connection in the middle of a reply. */
export const cutShort: Step = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
  response.write('{"status":', () => response.destroy())
}

/**
 * Replies without the last headers and without a body. A browser shows a reply like this when the connection
 * broke within the headers.
 */
export function cutInHeaders(status: number, headers: Headers = {}): Step {
  return (response) => {
    response.sendDate = false
    response.useChunkedEncodingByDefault = false
    response.writeHead(status, headers)
    response.end()
  }
}

/** Never replies. */
export const silent: Step = () => undefined
