import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { v4 } from 'uuid'
import { HttpFault, faultBody, plainFault } from '../errors/faults.js'
import type { FaultCode } from '../routes/reply-schemas.js'
import { hangUp } from './hang-up.js'
import { noRoute } from '../observe-requests.js'
import { asksToUpgrade } from '../requests/request-headers.js'
import { nobody, type RequestObserver } from '../ports/request-observer.js'
import { jsonType } from '../routes/write-reply.js'

const parserFaults = new Map<string, FaultCode>([
  ['ERR_HTTP_REQUEST_TIMEOUT', 'request_timeout'],
  ['HPE_HEADER_OVERFLOW', 'headers_too_large'],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 'body_too_large'],
])

/** The reply, sent or owed, to the latest request of each connection. */
const latest = new WeakMap<Duplex, ServerResponse>()
/** Requests that nobody awaits a reply to. */
const tooLate = new WeakSet<IncomingMessage>()
/** Connections whose fault has its answer, or will have it. */
const refused = new WeakSet<Duplex>()

/**
 * Lets the answer to a parser fault wait for the replies that are owed before it. The reply to an
 * Upgrade is the connection's last: the parser drops what comes right after such a request.
 */
export function followRequests(server: Server): void {
  server.prependListener('request', (request, response) => {
    const before = latest.get(request.socket)
    if (before !== undefined && endsWith(before)) tooLate.add(request)
    latest.set(request.socket, response)
    if (asksToUpgrade(request.headers)) response.setHeader('Connection', 'close')
  })
}

/** Whether no request has come over the reply's connection after its own. */
export function isLatest(response: ServerResponse): boolean {
  return latest.get(response.req.socket) === response
}

/** Whether a request that came over the connection has no reply that has left. */
export function owesReply(socket: Duplex): boolean {
  return latest.get(socket)?.writableFinished === false
}

/** Whether the connection ends with this reply, or with one before it. */
function endsWith(response: ServerResponse): boolean {
  const last = !response.shouldKeepAlive || response.getHeader('connection') === 'close'
  return last || tooLate.has(response.req)
}

/**
 * Whether the request came behind one whose reply ends the connection. Nobody will read a reply to it:
 * what it asks for must not be done.
 */
export function comesTooLate(request: IncomingMessage): boolean {
  return tooLate.has(request)
}

/** Answers, in our form, what Node's parser refuses before there is a request; then hangs up. */
export function answerParserFault(
  error: Error,
  socket: Duplex,
  observer: RequestObserver = nobody,
): void {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  // Bytes after a request that asked for the end: its reply is the last, and the socket ends with it.
  if (code === 'HPE_CLOSED_CONNECTION' || (refused.has(socket) && code !== 'ECONNRESET')) return
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  refused.add(socket)
  answerInTurn(socket, plainFault(parserFaults.get(code) ?? 'malformed_request'), observer)
}

/** `CONNECT` asks for a proxy, and there is no request to answer on: it is refused on the socket. */
export function refuseConnect(socket: Duplex, observer: RequestObserver = nobody): void {
  // Node hands the socket over and listens to it no more: a reset would be an error that nobody hears.
  socket.on('error', () => {
    socket.destroy()
  })
  const message = 'This is not a proxy: it does not take CONNECT.'
  answerInTurn(socket, new HttpFault('malformed_request', message), observer)
}

/** A reply out of its turn would be taken for the reply to an earlier request. */
function answerInTurn(socket: Duplex, fault: HttpFault, observer: RequestObserver): void {
  const response = latest.get(socket)
  if (response === undefined) {
    answerAndHangUp(socket, fault, observer)
    return
  }
  if (response.req.complete) {
    if (response.writableFinished) answerAndHangUp(socket, fault, observer)
    else
      // Before Node hangs up, which it does at the last reply to whoever has ended its side.
      response.prependOnceListener('finish', () => {
        answerAndHangUp(socket, fault, observer)
      })
    return
  }
  // The fault is in the body of this request: it is the answer, unless there has been one.
  if (!response.writableEnded) answerOn(response, fault, observer)
  else if (response.writableFinished) hangUp(socket)
  else
    // Replies to earlier requests are still owed, and this one waits behind them.
    response.once('close', () => {
      hangUp(socket)
    })
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
  hangUp(socket, `${head.join('\r\n')}\r\n\r\n${body}`)
}

/** There is no request that a route could be told of: it counts as one without a route, and took no time. */
function answerTo(fault: HttpFault, observer: RequestObserver) {
  observer.fault(fault.code)
  observer.route(noRoute, noRoute)(fault.status, 0)
  const requestId = v4()
  const body = faultBody(fault, requestId)
  const headers = {
    'Content-Type': jsonType,
    'Content-Length': String(Buffer.byteLength(body)),
    'Request-Id': requestId,
    Connection: 'close',
  }
  return { headers, body }
}
