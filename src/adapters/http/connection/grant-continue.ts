import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'

/** As Node reads it: the header may list other expectations too, and HTTP/1.0 knows none. */
const awaited = /(?:^|\W)100-continue(?:$|\W)/i

/**
 * A client that sends `Expect: 100-continue` waits with its body until it is told to go on. It is told
 * only when its key, its type and its length have passed; any other expectation is passed over.
 */
export function grantContinue(server: FastifyInstance, bodyLimit: number): void {
  for (const event of ['checkContinue', 'checkExpectation']) {
    server.server.on(event, (request, response) => {
      server.server.emit('request', request, response)
    })
  }
  server.addHook('preParsing', (request, reply, _payload, done) => {
    const { 'content-length': length } = request.headers
    if (awaitsContinue(request.raw) && Number(length ?? 0) <= bodyLimit) reply.raw.writeContinue()
    done()
  })
}

/** Whether the sender may hold the body back until it is told to go on. */
export function awaitsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion !== '1.0' && headers.expect !== undefined && awaited.test(headers.expect)
}
