import fc from 'fast-check'

/** The framing of a body in HTTP. */
export interface Framing {
  readonly chunked: boolean
  /** Whether the body has a transfer coding that the service refuses. */
  readonly coded?: true
  /** Returns the header lines, and the bytes after the headers. */
  readonly frame: (body: Buffer) => { readonly lines: readonly string[]; readonly bytes: Buffer }
}

const byLength: Framing = {
  chunked: false,
  frame: (body) => ({ lines: [`Content-Length: ${String(body.length)}`], bytes: body }),
}

const lengthInZeros: Framing = {
  chunked: false,
  frame: (body) => ({ lines: [`content-length:  000${String(body.length)} `], bytes: body }),
}

const extensions = ['', '', '', ';a', ';a=b', ';a="q;\\"q"', `;${'e'.repeat(200)}`]
const trailers = ['', '', 'X: y\r\n', 'Idempotency-Key: trailed\r\nAuthorization: Bearer no\r\n']
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 })

const inChunks: fc.Arbitrary<Framing> = fc
  .tuple(
    sizes,
    fc.constantFrom(...extensions),
    fc.constantFrom(...trailers),
    fc.constantFrom('', '0', '000'),
  )
  .map(([lengths, extension, trailer, zeros]) => ({
    chunked: true,
    frame: (body) => {
      const pieces: Buffer[] = []
      for (let at = 0, turn = 0; at < body.length; turn += 1) {
        // Splits large bodies into few chunks. Thousands of chunks would take time without testing more.
        const size = Math.max(lengths[turn % lengths.length] ?? 1, Math.ceil(body.length / 60))
        const piece = body.subarray(at, at + size)
        const hex = piece.length.toString(16)
        const shown = turn % 2 ? hex.toUpperCase() : hex
        pieces.push(Buffer.from(`${zeros}${shown}${extension}\r\n`), piece, Buffer.from('\r\n'))
        at += size
      }
      pieces.push(Buffer.from(`0${extension}\r\n${trailer}\r\n`))
      return { lines: ['Transfer-Encoding: Chunked'], bytes: Buffer.concat(pieces) }
    },
  }))

const codings = ['gzip, chunked', 'identity, chunked', 'identity\r\nTransfer-Encoding: chunked']
const inOddCoding: fc.Arbitrary<Framing> = fc.constantFrom(...codings).map((coding) => ({
  chunked: true,
  coded: true,
  frame: (body) => {
    const start = Buffer.from(body.length === 0 ? '' : `${body.length.toString(16)}\r\n`)
    const end = Buffer.from(body.length === 0 ? '0\r\n\r\n' : '\r\n0\r\n\r\n')
    return { lines: [`Transfer-Encoding: ${coding}`], bytes: Buffer.concat([start, body, end]) }
  },
}))

export const framings: fc.Arbitrary<Framing> = fc.oneof(
  { weight: 8, arbitrary: fc.constant(byLength) },
  { weight: 2, arbitrary: fc.constant(lengthInZeros) },
  { weight: 1, arbitrary: inOddCoding },
  { weight: 8, arbitrary: inChunks },
)
