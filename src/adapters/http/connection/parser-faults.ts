import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { v4 } from 'uuid'
import { plainFault, type FaultCode } from '../errors/faults.js'
import { faultBody } from '../errors/fault-body.js'
import { noRoute } from '../observe-requests.js'
import type { RequestObserver } from '../ports/observers.js'
import { jsonType } from '../replies/write-reply.js'

const faultCodes = new Map<string, FaultCode>([
  ['ERR_HTTP_REQUEST_TIMEOUT', 'request_timeout'],
  ['HPE_HEADER_OVERFLOW', 'headers_too_large'],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 'body_too_large'],
])

/**
 * Node's error code when the caller ends its side of the connection in the middle of a request. The
 * caller may still read the reply.
 */
const cutOff = 'HPE_INVALID_EOF_STATE'

/**
 * Sends an error reply for a request that Node's HTTP parser rejects, and ends the connection. The metrics count
 * the request without a route and without a duration.
 */
export function answerParserFault(error: Error, socket: Duplex, observer: RequestObserver): void {
  const code = 'code' in error ? String(error.code) : ''
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const fault = plainFault(faultCodes.get(code) ?? 'malformed_request')
  const requestId = v4()
  const body = faultBody(fault, requestId)
  // Counts the request here unless its caller ended the connection. If the caller ended the
  // connection in the middle of the body, the route counts the request.
  if (code !== cutOff) {
    observer.fault(fault.code)
    observer.route(noRoute, noRoute)(fault.status, 0)
  }
  const head = [
    `HTTP/1.1 ${String(fault.status)} ${STATUS_CODES[fault.status] ?? ''}`,
    `Content-Type: ${jsonType}`,
    `Content-Length: ${String(Buffer.byteLength(body))}`,
    `Request-Id: ${requestId}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
