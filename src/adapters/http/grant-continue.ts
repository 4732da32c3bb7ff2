import type { FastifyInstance } from 'fastify'

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
    const { expect, 'content-length': length } = request.headers
    const waits = expect?.toLowerCase() === '100-continue'
    if (waits && Number(length ?? 0) <= bodyLimit) reply.raw.writeContinue()
    done()
  })
}
