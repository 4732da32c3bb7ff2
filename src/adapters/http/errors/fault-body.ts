import { faultForms, type FaultCode, type HttpFault } from './faults.js'

/** A write, a write with an Idempotency-Key (an item of a batch can have one), or a read. */
export type RequestKind = 'write' | 'keyedWrite' | 'read'

/** The message of a code for a kind of request. */
export function sentenceOf(code: FaultCode, kind: RequestKind): string {
  const { message, keyedMessage = message, readMessage = message } = faultForms[code]
  return { write: message, keyedWrite: keyedMessage, read: readMessage }[kind]
}

export function faultData(fault: HttpFault, requestId: string, kind: RequestKind) {
  const { code, details, message: own } = fault
  // A fault with a message of its own keeps it: that message says more.
  const message = own === faultForms[code].message ? sentenceOf(code, kind) : own
  return { code, message, details: [...details], request_id: requestId }
}

export function faultBody(
  fault: HttpFault,
  requestId: string,
  kind: RequestKind = 'write',
): string {
  return JSON.stringify({ status: 'error', error: faultData(fault, requestId, kind) })
}
