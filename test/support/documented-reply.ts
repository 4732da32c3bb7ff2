import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { readRoutes, routes } from '../../src/adapters/http/routes/routes.js'
import { checker } from './served-document.js'

const served = [...routes, ...readRoutes]

/** All operations. Paths without parameters come first, because a path with a parameter may match the same URL. */
const operations = served
  .map(({ path: { template }, method }) => {
    const pattern = new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/?]+')}(?:\\?|$)`)
    return { path: template, method, pattern }
  })
  .sort((one, other) => one.path.split('{').length - other.path.split('{').length)

/** Sends a request. Fails when the reply does not match the OpenAPI document. */
export async function sendDocumented(
  server: FastifyInstance,
  request: InjectOptions & { readonly method: string; readonly url: string },
): Promise<LightMyRequestResponse> {
  const reply = await server.inject(request)
  const method = request.method.toLowerCase()
  const known = operations.find((one) => one.method === method && one.pattern.test(request.url))
  if (known === undefined) return reply
  const { statusCode: status, headers, body } = reply
  const faults = checker.replyFaults({ path: known.path, method, status, headers, body })
  if (faults.length > 0) {
    throw new Error(`${request.method} ${request.url}: ${String(status)} ${faults.join('; ')}`)
  }
  return reply
}
