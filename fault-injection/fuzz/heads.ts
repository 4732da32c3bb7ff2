import fc from 'fast-check'
import { METHODS } from 'node:http'
import { codePoint } from '../../test/support/code-point.js'

/** The parts of a request's head, each with the status of the fault that it causes. */
export type Status = 'ok' | 400 | 401 | 403 | 404 | 405 | 415

export interface Part {
  readonly lines: readonly string[]
  readonly status: Status
}

const ok = (...lines: string[]): Part => ({ lines, status: 'ok' })
const bad =
  (status: Status) =>
  (...lines: string[]): Part => ({ lines, status })

function rarely<T>(weight: number, usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: odd })
}

export interface Keys {
  readonly write: string
  readonly read: string
}

export const hosts = rarely(
  20,
  fc.constantFrom(ok('Host: dossier'), ok('host:x:80'), ok('HOST: [::1]')),
  fc.constantFrom(bad(400)(), bad(400)('Host: a', 'Host: b')),
)

export function authorizations({ write, read }: Keys): fc.Arbitrary<Part> {
  const right = ['Authorization: Bearer ', 'authorization:bearer ', 'AUTHORIZATION: \tBEARER  ']
  const wrong = [
    `Authorization: Basic ${write}`,
    `Authorization: ${write}`,
    `Authorization: Bearer ${write} x`,
    `Authorization: Bearer ${write}, Bearer ${write}`,
    `Authorization: Bearer ${write.slice(0, -1)}`,
    `Authorization: Bearer\t${write}`,
    `Authorization: Bearer ${'k'.repeat(300)}`,
    `Authorization: Bearer \u00e9${write}`,
    'Authorization: Bearer',
    'Authorization:',
    `Proxy-Authorization: Bearer ${write}`,
  ]
  return rarely(
    12,
    fc.constantFrom(...right.map((start) => ok(start + write))),
    fc.constantFrom(
      ...wrong.map((line) => bad(401)(line)),
      bad(401)(),
      bad(400)(`Authorization: Bearer ${write}`, `Authorization: Bearer ${write}`),
      bad(403)(`Authorization: Bearer ${read}`),
    ),
  )
}

const json = 'application/json'
export const contentTypes = rarely(
  12,
  fc.constantFrom(
    ok(`Content-Type: ${json}`),
    ok(`content-type:${json.toUpperCase()}; charset=utf-8 `),
    ok(`Content-Type: ${json} ; charset="UTF-8"`),
  ),
  fc.constantFrom(
    bad(415)(),
    ...['', 'text/plain', `${json}; charset=utf-16`, `${json}; profile=x`, `x ${json}`, `${json}5`]
      .concat(
        '*/*',
        'multipart/form-data; boundary=x',
        `${json}, ${json}`,
        '\u00ff',
        `${json};`.repeat(99),
      )
      .map((type) => bad(415)(`Content-Type: ${type}`)),
    ...['gzip', 'identity', '', 'br, gzip'].map((coding) =>
      bad(415)(`Content-Type: ${json}`, `Content-Encoding: ${coding}`),
    ),
  ),
)

export interface KeyPart extends Part {
  readonly key: string | undefined
}

const visible = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code))
const keyForms = fc.oneof(
  fc.string({ unit: visible, minLength: 1, maxLength: 20 }),
  fc.constantFrom('~'.repeat(255), '__proto__', '0', "';--", '%00', '{}'),
)
export const noKey: KeyPart = { ...ok(), key: undefined }
export const idempotencyKeys: fc.Arbitrary<KeyPart> = fc.oneof(
  { weight: 8, arbitrary: fc.constant(noKey) },
  { weight: 8, arbitrary: keyForms.map(keyPart) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(
        ['Idempotency-Key:'],
        ['Idempotency-Key: a b'],
        ['Idempotency-Key: \u00e9'],
        [`Idempotency-Key: ${'k'.repeat(256)}`],
        ['Idempotency-Key: a', 'idempotency-key: a'],
      )
      .map((lines) => ({ ...bad(400)(...lines), key: undefined })),
  },
)

export function keyPart(key: string): KeyPart {
  return { ...ok(`Idempotency-Key: ${key}`), key }
}

export interface IdPart extends Part {
  /** The Request-Id that the response must have. */
  readonly id: string | undefined
}

const idCharacter = fc.constantFrom(...Array.from('abcXYZ0189._-'))
export const requestIds: fc.Arbitrary<IdPart> = fc.oneof(
  fc.constant({ ...ok(), id: undefined }),
  fc
    .oneof(
      fc.string({ unit: idCharacter, minLength: 1, maxLength: 30 }),
      fc.constant('r'.repeat(128)),
    )
    .map((id) => ({ ...ok(`Request-Id:  ${id}\t`), id })),
  fc
    .constantFrom(
      ['Request-Id:'],
      [`Request-Id: ${'r'.repeat(129)}`],
      ['Request-Id: a b'],
      ['Request-Id: \u00e4'],
      ['Request-Id: a', 'Request-Id: b'],
      ['Request-Id: \'"<script>'],
    )
    .map((lines) => ({ ...ok(...lines), id: undefined })),
)

/** Headers that have no effect. */
const idle = [
  'Accept: text/html, */*;q=0',
  'Accept:',
  'Accept-Encoding: gzip, br;q=1',
  'Accept-Charset: latin1',
  'Cookie: a=b; __proto__=c',
  'Origin: null',
  'If-Match: *',
  'If-None-Match: *',
  'Range: bytes=0-1',
  'X-HTTP-Method-Override: DELETE',
  'X-Original-URL: /health/live',
  'X-Forwarded-For: 1.1.1.1',
  'Forwarded: for=x',
  'TE: trailers',
  'Trailer: Authorization',
  'Connection: keep-alive, authorization',
  'Upgrade: h2c',
  'Connection: Upgrade, HTTP2-Settings',
  'HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA',
  'Upgrade: websocket',
  'Expect: the-unexpected',
  'Expect:',
  '__proto__: x',
  'constructor: x',
  'toString:',
  'X-\u0021#$%&: \u00fe\u00ff',
  'Accept-Version: 2.0.0',
  'Keep-Alive: timeout=0, max=0',
  'Traceparent: 00-0-0-00',
  'Early-Data: 1',
  'Max-Forwards: 0',
] as const
export const idleHeaders = fc.oneof(
  { weight: 6, arbitrary: fc.subarray([...idle], { maxLength: 4 }) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(1, 100, 1_500)
      .map((many): string[] => Array<string>(many).fill('a: b')),
  },
  { weight: 1, arbitrary: fc.constant([`X-Long: ${'v'.repeat(9_000)}`]) },
)

export interface Target {
  readonly text: string
  /** The path that the target means. Undefined when no route has it. */
  readonly path: string | undefined
  readonly broken?: true
}

const spellings: readonly ((path: string) => string)[] = [
  (path) => path,
  (path) => path,
  (path) => path,
  (path) => `${path}?x=%00&__proto__[a]=b`,
  (path) => `${path}?%zz`,
  (path) => `http://elsewhere.example:81${path}`,
  (path) => `HTTPS://u:p@x${path}?`,
  (path) => path.replace('e', '%65'),
]
const nowhere = [
  '/entities/',
  '//entities',
  '/Events',
  '/events;a',
  '/events%2F',
  '/entities/ada/x',
  '/entity/ada',
  '/health',
  '/__proto__',
  '/constructor',
  '/%2e%2e/%2e%2e/etc/passwd',
  '/../events',
  '/./events',
  '/a*b',
  '/events%20',
  '/events%00',
  '/:x',
  '/events,',
  `/${'p'.repeat(3_000)}`,
]

/** The characters of a path. `fc.webPath` first builds a table of all code points, as the unit `grapheme` does. */
const pathCharacter = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...Array.from("azAZ09-._~!$&'()*+,;=:@/")) },
  { weight: 1, arbitrary: codePoint.map(encodeURIComponent) },
)
const webPaths = fc.string({ unit: pathCharacter, maxLength: 30 })

export function targets(path: string): fc.Arbitrary<Target> {
  return fc.oneof(
    {
      weight: 20,
      arbitrary: fc.constantFrom(...spellings).map((write) => ({ text: write(path), path })),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...nowhere).map((text) => ({ text, path: undefined })),
    },
    { weight: 1, arbitrary: webPaths.map((text) => ({ text: `/x${text}`, path: undefined })) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom('/%', '/entities%', '/%zz', '/%ff', '/events/%c3%28')
        .map((text) => ({ text, path: undefined, broken: true as const })),
    },
  )
}

const known = METHODS.filter((method) => method !== 'CONNECT')
export function methods(usual: string): fc.Arbitrary<string> {
  return rarely(15, fc.constant(usual), fc.constantFrom(...known))
}
