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
  type OperationReply,
  type OperationRequest,
} from '../../../support/operations/operation-requests.js'

/** Runs each operation in each condition, and compares the error codes that occur with the documented ones. */

/** Codes that no condition can cause: low-level faults, and internal errors. */
const ofEveryRequest = ['headers_too_large', 'internal_error', 'request_timeout']
/** Codes, by operation, that need another store or concurrent requests. */
const ofOtherSuites: Readonly<Record<string, readonly string[]>> = {
  // The read model of this suite does not know where an erasure took effect, and no stream is tombstoned.
  confirmErasure: ['append_too_large', 'clock_untrusted', 'outcome_unknown'],
  liftSuppression: ['append_too_large', 'clock_untrusted', 'outcome_unknown', 'not_possible'],
  previewRule: ['preview_under_way'],
  searchEntities: ['search_under_way'],
  writeBatch: ['overloaded'],
}

const met = new Map<string, Set<string>>()
const unlisted: string[] = []
const agent = new Agent({ keepAlive: true })

const holders = { k: allScopes, track: { ...allScopes, scopes: ['track'] as const } }
const keyRing = {
  holderOf: (key: string) => (key === 'k' || key === 'track' ? holders[key] : undefined),
}

/**
 * The order of operations. Those that create or end something run last, so that the others find the prepared state.
 */
const ranks: Readonly<Record<string, number>> = {
  retireSegment: 2,
  eraseEntity: 2,
  writeBatch: 3,
  defineSegment: 3,
  createEntity: 3,
}
const rankOf = ({ id, method }: DescribedOperation) => ranks[id] ?? (method === 'GET' ? 0 : 1)
const inOrder = [...describedOperations].sort((one, another) => rankOf(one) - rankOf(another))

async function meet(condition: FaultCondition): Promise<void> {
  const { name, parts, arrange, requests = rightRequests } = condition
  const service = await listeningService({ keyRing, options: { readWaitMs: 1 }, ...parts })
  const { port } = service
  const send = (operation: DescribedOperation, request: OperationRequest) => {
    const key = operation.needsKey ? { authorization: 'Bearer k' } : {}
    const headers = { ...key, ...request.headers }
    return sendOver({ port, agent }, operation, { ...request, headers })
  }
  const arranged = await arrange?.(service, (id, request) => {
    const operation = describedOperations.find((one) => one.id === id)
    if (operation === undefined) throw new Error(`no operation is called ${id}`)
    return send(operation, { ...rightRequest(operation), ...request })
  })
  for (const operation of inOrder) {
    for (const request of requests(operation)) {
      const path = { ...request.path, ...arranged }
      note(operation, name, await send(operation, { ...request, path }))
    }
  }
  await service.server.close()
}

function note({ id, faults }: DescribedOperation, name: string, reply: OperationReply): void {
  const { status, body } = reply
  if (status < 400) return
  const { code } = shownFault(body)
  met.set(id, (met.get(id) ?? new Set()).add(code))
  if (faults.get(code) === status && code !== 'internal_error') return
  unlisted.push(`${id}, ${name}: ${String(status)} ${code}`)
}

beforeAll(async () => {
  for (const condition of faultConditions) {
    await meet(condition)
  }
}, 120_000)
afterAll(() => {
  agent.destroy()
})

test('no operation returns an undocumented code', () => {
  expect([...new Set(unlisted)]).toEqual([])
})

describe('an operation documents no code that it cannot return', () => {
  test.each(describedOperations.map((one) => [one.id, one] as const))('%s', (id, { faults }) => {
    const known = [...(met.get(id) ?? []), ...ofEveryRequest, ...(ofOtherSuites[id] ?? [])]
    expect([...faults.keys()].filter((code) => !known.includes(code)).sort()).toEqual([])
  })
})
