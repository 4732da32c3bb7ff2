import { expect } from '@jest/globals'
import type { LightMyRequestResponse } from 'fastify'
import { z } from 'zod'

const faultForm = z.strictObject({
  status: z.literal('error'),
  error: z.strictObject({
    code: z.string(),
    message: z.string().min(1),
    details: z.array(z.strictObject({ path: z.string(), code: z.string(), message: z.string() })),
    request_id: z.string(),
  }),
})

export type ShownFault = z.infer<typeof faultForm>['error']

/** Returns the fault in a body. Throws when the body has another format. */
export function shownFault(body: string): ShownFault {
  return faultForm.parse(JSON.parse(body)).error
}

/** Checks the properties that all faults share, and returns the fault. */
export function expectFault(
  reply: LightMyRequestResponse,
  status: number,
  code: string,
): ShownFault {
  const fault = shownFault(reply.body)
  expect([reply.statusCode, fault.code]).toEqual([status, code])
  expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(reply.headers['request-id']).toBe(fault.request_id)
  return fault
}

/** Checks that the request breaks exactly these rules, each given as `PATH CODE`. Returns the fault. */
export function expectInvalid(
  reply: LightMyRequestResponse,
  ...rules: readonly string[]
): ShownFault {
  const fault = expectFault(reply, 422, 'validation_failed')
  expect(brokenRules(fault)).toEqual(rules)
  return fault
}

/** Returns each detail as `PATH CODE`. */
export function brokenRules({ details }: ShownFault): readonly string[] {
  return details.map(({ path, code }) => `${path} ${code}`)
}
