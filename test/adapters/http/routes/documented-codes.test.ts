import { Agent } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { listeningService } from '../../../support/http-service.js'
import { shownFault } from '../../../support/fault-expectation.js'
import { allScopes } from '../../../support/operations/all-scopes.js'
import {
  describedOperations,
  type DescribedOperation,
} from '../../../support/operations/described-operations.js'
import {
  faultConditions,
  type FaultCondition,
} from '../../../support/operations/fault-conditions.js'
import {
  rightRequest,
  rightRequests,
  sendOver,
  type OperationRequest,
} from '../../../support/operations/operation-requests.js'

/** Each operation is tried in each condition: the codes that it has there are those that it lists, and no other. */

/** Codes that no condition of the service makes: of what is below the routes, and of mistakes of ours. */
const ofEveryRequest = ['headers_too_large', 'internal_error', 'request_timeout']
/** Codes of stores that are not in this suite: a stream of EventStoreDB that was removed for good. */
const ofOtherStores: Readonly<Record<string, readonly string[]>> = {
  liftSuppression: ['not_possible'],
  confirmErasure: ['read_model_behind'],
}

const met = new Map<string, Set<string>>()
const unlisted: string[] = []
const agent = new Agent({ keepAlive: true })

const holders = { k: allScopes, track: { ...allScopes, scopes: ['track'] as const } }
const keyRing = {
  holderOf: (key: string) => (key === 'k' || key === 'track' ? holders[key] : undefined),
}

async function meet({ name, parts, arrange, requests = rightRequests }: FaultCondition) {
  const service = await listeningService({ keyRing, ...parts })
  const { port } = service
  const send = (operation: DescribedOperation, request: OperationRequest) => {
    const key = operation.needsKey ? { authorization: 'Bearer k' } : {}
    const headers = { ...key, ...request.headers }
    return sendOver({ port, agent }, operation, { ...request, headers })
  }
  await arrange?.(service, (id, request) => {
    const operation = describedOperations.find((one) => one.id === id)
    if (operation === undefined) throw new Error(`no operation is called ${id}`)
    return send(operation, { ...rightRequest(operation), ...request })
  })
  for (const operation of describedOperations) {
    for (const request of requests(operation)) {
      const { status, body } = await send(operation, request)
      if (status < 400) continue
      const { code } = shownFault(body)
      met.set(operation.id, (met.get(operation.id) ?? new Set()).add(code))
      if (operation.faults.get(code) === status && code !== 'internal_error') continue
      unlisted.push(`${operation.id}, ${name}: ${String(status)} ${code}`)
    }
  }
  await service.server.close()
}

beforeAll(async () => {
  for (const condition of faultConditions) await meet(condition)
}, 120_000)
afterAll(() => {
  agent.destroy()
})

test('no operation has a code that it does not list', () => {
  expect([...new Set(unlisted)]).toEqual([])
})

describe('an operation lists no code that it cannot have', () => {
  test.each(describedOperations.map((one) => [one.id, one] as const))('%s', (id, { faults }) => {
    const known = [...(met.get(id) ?? []), ...ofEveryRequest, ...(ofOtherStores[id] ?? [])]
    expect([...faults.keys()].filter((code) => !known.includes(code)).sort()).toEqual([])
  })
})
