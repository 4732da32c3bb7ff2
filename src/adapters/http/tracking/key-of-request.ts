import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import { isJsonObject, type Json } from '../../../domain/json.js'
import { HttpFault } from '../errors/faults.js'
import type { KeyHolder, KeyRing } from '../ports/key-ring.js'

const credentials = /^(Basic|Bearer) +([!-~]{1,1024})$/i

const unauthenticated = new HttpFault(
  'unauthenticated',
  'No valid key. Send one as "Authorization: Basic base64(KEY:)", or as "writeKey" in the body.',
  [],
  { 'WWW-Authenticate': 'Bearer' },
)
const forbidden = new HttpFault(
  'forbidden',
  'This key does not have the scope "track". Use one that has it.',
)

function mayTrack({ scopes }: KeyHolder): boolean {
  return scopes.includes('track') || scopes.includes('write')
}

/**
 * Finds and checks the API key of an SDK's request. SDKs send the key in a header, and some
 * browsers send it in the body.
 */
export class TrackingKeys {
  constructor(private readonly keyRing: KeyRing) {}

  /**
   * Checks the key in the header before the body is read. Without the header, `judgeBody` requires a key in the
   * body.
   */
  readonly judgeHeader: onRequestHookHandler = (request, _reply, done) => {
    const { authorization } = request.headers
    done(authorization === undefined ? undefined : this.admit(request, keyIn(authorization)))
  }

  /** Checks the key in the body, unless the header contained it. Throws `unauthenticated` or `forbidden`. */
  judgeBody(request: FastifyRequest, body: Json): void {
    if (request.keyId !== '') return
    const key = isJsonObject(body) && Object.hasOwn(body, 'writeKey') ? body['writeKey'] : undefined
    const fault = this.admit(request, typeof key === 'string' ? key : undefined)
    if (fault !== undefined) throw fault
  }

  isKey(key: string): boolean {
    const holder = this.keyRing.holderOf(key)
    return holder !== undefined && mayTrack(holder)
  }

  private admit(request: FastifyRequest, key: string | undefined): HttpFault | undefined {
    const holder = key === undefined ? undefined : this.keyRing.holderOf(key)
    if (holder === undefined) return unauthenticated
    request.keyHolder = holder
    return mayTrack(holder) ? undefined : forbidden
  }
}

function keyIn(authorization: string): string | undefined {
  const [, scheme, given = ''] = credentials.exec(authorization) ?? []
  if (scheme?.toLowerCase() !== 'basic') return scheme === undefined ? undefined : given
  // Reads the user name of basic authentication, which is the key. The password is empty.
  return Buffer.from(given, 'base64')
    .toString('utf8')
    .replace(/:[^:]*$/, '')
}
