import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { v7 } from 'uuid'
import { HttpFault, faultBody } from './faults.js'
import type { FaultCode } from './reply-forms.js'
import { noRoute } from './observe-requests.js'
import { nobody, type RequestObserver } from './request-observer.js'
import { jsonType } from './write-reply.js'

const parserFaults = new Map<string, FaultCode>([
  ['ERR_HTTP_REQUEST_TIMEOUT', 'request_timeout'],
  ['HPE_HEADER_OVERFLOW', 'headers_too_large'],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 'body_too_large'],
])

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** The latest request of each connection. */
const latest = new WeakMap<Duplex, Exchange>()
/** Connections whose fault has its answer, or will have it. */
const refused = new WeakSet<Duplex>()

/** Lets the answer to a parser fault wait for the replies that are owed before it. */
export function followRequests(server: Server): void {
  server.on('request', (request, response) => {
    latest.set(request.socket, { request, response })
  })
}

/** Answers, in our form, what Node's parser refuses before there is a request; then hangs up. */
export function answerParserFault(
  error: Error,
  socket: Duplex,
  observer: RequestObserver = nobody,
): void {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  if (refused.has(socket)) return
  refused.add(socket)
  answerInTurn(socket, new HttpFault(parserFaults.get(code) ?? 'malformed_request'), observer)
}

/** `CONNECT` asks for a proxy, and there is no request to answer on: it is refused on the socket. */
export function refuseConnect(socket: Duplex, observer: RequestObserver = nobody): void {
  const message = 'This is not a proxy: it does not take CONNECT.'
  answerInTurn(socket, new HttpFault('malformed_request', message), observer)
}

/** A reply out of its turn would be taken for the reply to an earlier request. */
function answerInTurn(socket: Duplex, fault: HttpFault, observer: RequestObserver): void {
  const exchange = latest.get(socket)
  if (exchange === undefined) {
    answerAndHangUp(socket, fault, observer)
    return
  }
  const { request, response } = exchange
  if (request.complete) {
    if (response.writableFinished) answerAndHangUp(socket, fault, observer)
    else
      response.once('close', () => {
        answerAndHangUp(socket, fault, observer)
      })
    return
  }
  // The fault is in the body of this request: it is the answer, unless there has been one.
  if (response.writableEnded) socket.destroy()
  else answerOn(response, fault, observer)
}

function answerOn(response: ServerResponse, fault: HttpFault, observer: RequestObserver): void {
  const { headers, body } = answerTo(fault, observer)
  response.writeHead(fault.status, headers).end(body)
}

function answerAndHangUp(socket: Duplex, fault: HttpFault, observer: RequestObserver): void {
  const { headers, body } = answerTo(fault, observer)
  const head = [
    `HTTP/1.1 ${String(fault.status)} ${STATUS_CODES[fault.status] ?? ''}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => {
    socket.destroy()
  })
}

/** There is no request that a route could be told of: it counts as one without a route, and took no time. */
function answerTo(fault: HttpFault, observer: RequestObserver) {
  observer.fault(fault.code)
  observer.route(noRoute, noRoute)(fault.status, 0)
  const requestId = v7()
  const body = faultBody(fault, requestId)
  const headers = {
    'Content-Type': jsonType,
    'Content-Length': String(Buffer.byteLength(body)),
    'Request-Id': requestId,
    Connection: 'close',
  }
  return { headers, body }
}
