import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { v7 } from 'uuid'
import { HttpFault, faultBody } from './faults.js'
import type { FaultCode } from './reply-forms.js'
import { jsonType } from './write-reply.js'

const parserFaults = new Map<string, FaultCode>([
  ['ERR_HTTP_REQUEST_TIMEOUT', 'request_timeout'],
  ['HPE_HEADER_OVERFLOW', 'headers_too_large'],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 'body_too_large'],
])

/** Answers, in our form, what Node's parser refuses before there is a request; then hangs up. */
export function answerParserFault(error: Error, socket: Duplex): void {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  answerAndHangUp(socket, new HttpFault(parserFaults.get(code) ?? 'malformed_request'))
}

/** `CONNECT` asks for a proxy, and there is no request to answer on: it is refused on the socket. */
export function refuseConnect(socket: Duplex): void {
  const message = 'This is not a proxy: it does not take CONNECT.'
  answerAndHangUp(socket, new HttpFault('malformed_request', message))
}

function answerAndHangUp(socket: Duplex, fault: HttpFault): void {
  const requestId = v7()
  const body = faultBody(fault, requestId)
  const head = [
    `HTTP/1.1 ${String(fault.status)} ${STATUS_CODES[fault.status] ?? ''}`,
    `Content-Type: ${jsonType}`,
    `Content-Length: ${String(Buffer.byteLength(body))}`,
    `Request-Id: ${requestId}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => {
    socket.destroy()
  })
}
