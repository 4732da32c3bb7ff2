import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Agent } from 'node:http'
import { shownFault, type ShownFault } from '../../../support/fault-expectation.js'
import { listeningService } from '../../../support/http-service.js'
import { allScopes } from '../../../support/operations/all-scopes.js'
import {
  describedOperations,
  type DescribedOperation,
} from '../../../support/operations/described-operations.js'
import {
  brokenRequests,
  rightRequest,
  sendOver,
  type BrokenRequest,
  type OperationReply,
  type OperationRequest,
} from '../../../support/operations/operation-requests.js'
import { checker } from '../../../support/served-document.js'

/**
 * Tests requests that are derived from the schemas of all routes. A new route or rule is tested without a change
 * here.
 */

const agent = new Agent({ keepAlive: true })
let service: Awaited<ReturnType<typeof listeningService>>
beforeAll(async () => {
  service = await listeningService({ keyRing: { holderOf: () => allScopes } })
})
afterAll(async () => {
  agent.destroy()
  await service.server.close()
})

function send(operation: DescribedOperation, request: OperationRequest): Promise<OperationReply> {
  const authorization = operation.needsKey ? { authorization: 'Bearer k' } : {}
  const headers = { ...request.headers, ...authorization }
  return sendOver({ port: service.port, agent }, operation, { ...request, headers })
}

/** Returns differences between a reply and the OpenAPI document. */
function undocumented(
  { path, method, faults }: DescribedOperation,
  { status, headers, body }: OperationReply,
): readonly string[] {
  const found = checker.replyFaults({ path, method: method.toLowerCase(), status, headers, body })
  if (status < 400) return found
  const { code } = shownFault(body)
  return faults.get(code) === status ? found : [...found, `${code} is not listed`]
}

/** Returns the difference from the expected refusal. Undefined: there is none. */
function wrongRefusal(
  { status, code, names, detail }: BrokenRequest,
  reply: OperationReply,
): string | undefined {
  const fault = faultIn(reply)
  if (fault === undefined) return `${String(reply.status)} is no refusal`
  const isNamed = names === undefined || fault.message.includes(names)
  const isDetailed =
    detail === undefined ||
    fault.details.some(({ path, code: its, message }) => {
      return (
        path === detail.path && detail.codes.includes(its) && !message.includes('/openapi.json')
      )
    })
  return fault.code === code && isNamed && isDetailed
    ? undefined
    : `${String(status)} ${code} expected, ${String(reply.status)} ${JSON.stringify(fault)} found`
}

/** Returns the fault of a request, or of the only item of a batch. */
function faultIn({ status, body }: OperationReply): ShownFault | undefined {
  if (status >= 400) return shownFault(body)
  if (status !== 207) return undefined
  const { data } = JSON.parse(body) as { data: { results: { error: ShownFault }[] } }
  const [result] = data.results
  if (result === undefined) return undefined
  const details = result.error.details.map((one) => ({ ...one, path: `/items/0${one.path}` }))
  return { ...result.error, details }
}

const named = describedOperations.map((one) => [`${one.method} ${one.path}`, one] as const)

test('operations with every kind of parameter and rule are tested', () => {
  const all = describedOperations.flatMap(brokenRequests)
  const kinds = new Set(all.map(({ rule }) => /^(body|path|query|header)/.exec(rule)?.[0]))
  expect([...kinds].sort()).toEqual(['body', 'header', 'path', 'query'])
  expect(all.length).toBeGreaterThan(500)
})

describe('a valid request is not refused for its form', () => {
  test.each(named)('%s', async (_name, operation) => {
    const reply = await send(operation, rightRequest(operation))
    expect(undocumented(operation, reply)).toEqual([])
    expect([400, 413, 415, 422, 500]).not.toContain(reply.status)
    expect(faultIn(reply)?.code).not.toBe('validation_failed')
  })
})

describe('a request that breaks one rule gets the code of that rule', () => {
  test.each(named)('%s', async (_name, operation) => {
    const wrong: string[] = []
    for (const broken of brokenRequests(operation)) {
      const reply = await send(operation, broken.request)
      const found = [wrongRefusal(broken, reply) ?? [], ...undocumented(operation, reply)].flat()
      wrong.push(...found.map((one) => `${broken.rule}: ${one}`))
    }
    expect(wrong).toEqual([])
  })
})
