import fc from 'fast-check'

/**
 * Invalid HTTP requests. The service must refuse each with a 4xx status, and read nothing after it on the
 * connection.
 */
export interface Wreck {
  readonly kind: string
  /** `right`: the headers of a valid request without framing. `body`: its body. */
  readonly write: (right: readonly string[], body: string) => string
}

const head = (lines: readonly string[]) => `${lines.join('\r\n')}\r\n\r\n`
const post = 'POST /entities HTTP/1.1'
const inOneChunk = (body: string) =>
  `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`
const length = (body: string) => `Content-Length: ${String(Buffer.byteLength(body))}`

/** Framings that two parsers could interpret differently. */
const framings: readonly ((body: string) => readonly string[])[] = [
  (body) => [length(body), 'Transfer-Encoding: chunked'],
  (body) => ['Transfer-Encoding: chunked', length(body)],
  (body) => [length(body), length(body)],
  (body) => [length(body), 'Content-Length: 0'],
  (body) => [`${length(body)}, ${String(Buffer.byteLength(body))}`],
  (body) => [length(body).replace(': ', ': +')],
  (body) => [length(body).replace(': ', ': 0x')],
  (body) => [length(body).replace(': ', ': -')],
  (body) => [length(body).replace(': ', ' : ')],
  (body) => [`${length(body)}.0`],
  () => [`Content-Length: ${'9'.repeat(30)}`],
  () => ['Content-Length: 1e1'],
  () => ['Content-Length:'],
]
const codings: readonly (readonly string[])[] = [
  ['gzip'],
  ['xchunked'],
  ['chunked, identity'],
  ['chunked, chunked'],
  ['"chunked"'],
  ['chunked;q=1'],
  ['\u000bchunked'],
  ['chunked', 'identity'],
  ['x\r\n chunked'],
  ['chunked\u0000'],
  ['chunked,'],
]
const chunks: readonly ((body: string) => string)[] = [
  () => 'zz\r\n',
  () => '-1\r\n',
  () => '0x5\r\n',
  () => `${'F'.repeat(17)}\r\n`,
  () => '\r\n',
  () => ' 5\r\n',
  (body) => `1\r\n${body}\r\n0\r\n\r\n`,
  (body) => inOneChunk(body).replace('\r\n', '\n'),
  (body) => inOneChunk(body).replaceAll('\r\n', '\n'),
  (body) => inOneChunk(body).replace('\r\n', ';a=\u0000\r\n'),
  (body) => inOneChunk(body).replace('\r\n', `;${'x'.repeat(20_000)}\r\n`),
  (body) => inOneChunk(body).replace('0\r\n\r\n', '0\r\nX y\r\n\r\n'),
  (body) => inOneChunk(body).replace('0\r\n\r\n', '0\r\nX: y\r\n z\r\n\r\n'),
]
const lines = [
  'Broken',
  ': empty',
  'A(b): c',
  'A b: c',
  'A : b',
  'A: x\u0000y',
  'A: x\ry',
  'A: \u0001',
  'A: \u007f',
  'A: x\r\n folded',
  'A: x\r\n\tfolded',
  'A: x\ny: z',
  'a\u00e9: b',
  `A: ${'x'.repeat(20_000)}`,
  `${'n'.repeat(20_000)}: x`,
  Array<string>(9_000).fill('a: b').join('\r\n'),
]
const starts = [
  'FETCH / HTTP/1.1',
  'post /entities HTTP/1.1',
  'POST /entities HTTP/9.9',
  'POST /entities http/1.1',
  'POST /entities HTTP/1.1 x',
  'POST /entities',
  'POST  HTTP/1.1',
  'POST entities HTTP/1.1',
  'POST /a b HTTP/1.1',
  'POST /\u0000 HTTP/1.1',
  'POST /entities\tHTTP/1.1',
  ' POST /entities HTTP/1.1',
  'POST',
  'PRI * HTTP/2.0',
  `GET /${'u'.repeat(20_000)} HTTP/1.1`,
  'POST /entities HTTP/1.1\r\r\n',
  'POST /entities HTTP/',
  'POST * HTTP',
  'POST /entities\n',
]
const noise = [
  '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
  '\u0000',
  'SSH-2.0-x\r\n',
  '{"external_id":"a"}',
  '\u00ff'.repeat(64),
  '*1\r\n$4\r\nPING\r\n',
  'PROXY TCP4 1.1.1.1 1.1.1.1 1 1\r\n',
]

function many<T>(all: readonly T[], kind: string, write: (one: T) => Wreck['write']) {
  return fc.constantFrom(...all).map((one): Wreck => ({ kind, write: write(one) }))
}

export const wrecks: fc.Arbitrary<Wreck> = fc.oneof(
  many(
    framings,
    'ambiguous length',
    (one) => (right, body) => head([post, ...right, ...one(body)]) + body,
  ),
  many(
    framings.slice(0, 2),
    'length beside chunks',
    (one) => (right, body) => head([post, ...right, ...one(body)]) + inOneChunk(body),
  ),
  many(
    codings,
    'odd transfer coding',
    (one) => (right, body) =>
      head([post, ...right, ...one.map((coding) => `Transfer-Encoding: ${coding}`)]) +
      inOneChunk(body),
  ),
  many(
    chunks,
    'broken chunk',
    (one) => (right, body) => head([post, ...right, 'Transfer-Encoding: chunked']) + one(body),
  ),
  many(
    lines,
    'broken header',
    (one) => (right, body) => head([post, ...right, one, length(body)]) + body,
  ),
  many(
    starts,
    'broken request line',
    (one) => (right, body) => head([one, ...right, length(body)]) + body,
  ),
  many(noise, 'not HTTP', (one) => () => one),
)
