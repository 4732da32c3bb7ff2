import { Metadata, status } from '@grpc/grpc-js'
import type { ServerRefusal } from './faults.js'

export interface Endpoint {
  readonly address: string
  readonly port: number
}

/** An error as the server sends it: a status, a text, and trailers. */
export class WireError extends Error {
  override readonly name = 'WireError'
  readonly metadata = new Metadata()

  constructor(
    readonly code: status,
    readonly details: string,
    trailers: Readonly<Record<string, string>> = {},
  ) {
    super(details)
    for (const [name, value] of Object.entries(trailers)) {
      // Metadata is ASCII. A value with other characters is sent as its UTF-8 bytes.
      this.metadata.set(name, Buffer.from(value).toString('latin1'))
    }
  }
}

export function handlerThrew(): WireError {
  return new WireError(status.UNKNOWN, 'Exception was thrown by handler.')
}

export function unknownError(text: string): WireError {
  return new WireError(status.UNKNOWN, text)
}

export function timedOut(text: string): WireError {
  return new WireError(status.ABORTED, `Operation timed out: ${text}`)
}

export function streamDeleted(stream: string): WireError {
  return new WireError(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  })
}

export function wrongVersionToDelete(stream: string, expected: bigint, actual: bigint): WireError {
  const versions = `Expected version: ${String(expected)}, Actual version: ${String(actual)}`
  return new WireError(
    status.FAILED_PRECONDITION,
    `Delete failed due to WrongExpectedVersion. Stream: ${stream}, ${versions}`,
    {
      exception: 'wrong-expected-version',
      'stream-name': stream,
      'expected-version': String(expected),
      'actual-version': String(actual),
    },
  )
}

function notLeader(leader: Endpoint): WireError {
  return new WireError(status.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': leader.address,
    'leader-endpoint-port': String(leader.port),
  })
}

/** Returns the refusal as all calls except batch appends send it. */
export function refusalError(refusal: ServerRefusal, leader: Endpoint): WireError {
  switch (refusal) {
    case 'server-not-ready':
      return new WireError(status.UNAVAILABLE, 'Server Is Not Ready')
    case 'server-too-busy':
      return new WireError(status.UNAVAILABLE, 'Server Is Too Busy')
    case 'not-leader':
      return notLeader(leader)
    case 'no-leader-info':
      return unknownError('No leader info available in response')
    case 'access-denied':
      return new WireError(status.PERMISSION_DENIED, 'Access Denied', {
        exception: 'access-denied',
      })
    case 'unauthenticated':
      return new WireError(status.UNAUTHENTICATED, 'Unauthenticated')
    case 'unknown-error':
      return handlerThrew()
    case 'commit-timeout':
      return timedOut('Commit phase timeout.')
    case 'request-canceled':
      return timedOut('Request canceled by server')
  }
}
