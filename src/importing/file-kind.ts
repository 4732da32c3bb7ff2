import { ImportStopped } from './import-stopped.js'

interface OtherKind {
  readonly begin: string
  /** The offset of the text `begin`. Undefined means the first character after white space. */
  readonly at?: number
  readonly kind: string
  readonly advice: string
}

const asCsv = 'Export its table as CSV in UTF-8'
const asJsonLines = (filter: string) =>
  `Write one object a line: jq -c '${filter}' FILE > FILE.ndjson`
const unpacked = (command: string) =>
  `Unpack it: ${command} FILE | npx dossier import - --name NAME`

/** Known kinds of files that are neither NDJSON nor CSV, with advice for each. */
const otherKinds: readonly OtherKind[] = [
  {
    at: 0,
    begin: 'PK\x03\x04',
    kind: 'a zip file, such as .xlsx',
    advice: `${asCsv}, or unzip it`,
  },
  { at: 0, begin: '\xd0\xcf\x11\xe0', kind: 'an old Office file, such as .xls', advice: asCsv },
  { at: 0, begin: 'PAR1\x15', kind: 'a Parquet file', advice: asCsv },
  { at: 0, begin: 'Obj\x01', kind: 'an Avro file', advice: asCsv },
  { at: 0, begin: 'SQLite format 3\0', kind: 'a SQLite database', advice: asCsv },
  { at: 0, begin: '%PDF-', kind: 'a PDF', advice: asCsv },
  { at: 0, begin: '\x1f\x8b', kind: 'compressed with gzip twice', advice: unpacked('zcat') },
  { at: 0, begin: '\x28\xb5\x2f\xfd', kind: 'compressed with zstd', advice: unpacked('zstd -dc') },
  { at: 4, begin: '1AY&SY', kind: 'compressed with bzip2', advice: unpacked('bzip2 -dc') },
  { at: 0, begin: '\xfd7zXZ', kind: 'compressed with xz', advice: unpacked('xz -dc') },
  { at: 0, begin: '7z\xbc\xaf', kind: 'a 7z file', advice: unpacked('7z x -so') },
  { at: 257, begin: 'ustar', kind: 'a tar file', advice: unpacked('tar -xOf') },
  { begin: '<', kind: 'HTML or XML', advice: 'A page of HTML often says why a download failed' },
  { begin: '[', kind: 'a JSON array', advice: asJsonLines('.[]') },
  { begin: '{\n', kind: 'JSON over several lines', advice: asJsonLines('.') },
  { begin: '{\r', kind: 'JSON over several lines', advice: asJsonLines('.') },
]

const lookedAtBytes = 1_024

/** Checks the beginning of a file. Throws `ImportStopped` unless it may be NDJSON or CSV in UTF-8. */
export function checkKind(begin: Buffer, name: string): void {
  const head = begin.subarray(0, lookedAtBytes)
  const encoding = encodingOf(head)
  if (encoding !== undefined) {
    const advice = `Convert it: iconv -f ${encoding} -t UTF-8 FILE > FILE.utf8`
    throw new ImportStopped(`${name} is in ${encoding}, not in UTF-8. ${advice}`)
  }
  const text = head.toString('latin1')
  const other = otherKinds.find(({ at, ...kind }) =>
    at === undefined ? text.trimStart().startsWith(kind.begin) : text.startsWith(kind.begin, at),
  )
  if (other === undefined) return
  throw new ImportStopped(`${name} is ${other.kind}, neither NDJSON nor CSV. ${other.advice}.`)
}

const byteOrderMarks = [
  ['fffe0000', 'UTF-32'],
  ['0000feff', 'UTF-32'],
  ['fffe', 'UTF-16'],
  ['feff', 'UTF-16'],
] as const

/** Detects UTF-16 and UTF-32. Returns undefined for text that may be UTF-8. */
function encodingOf(head: Buffer): string | undefined {
  const begin = head.toString('hex', 0, 4)
  const marked = byteOrderMarks.find(([mark]) => begin.startsWith(mark))
  if (marked !== undefined) return marked[1]
  // Names of columns and members are mostly ASCII. In UTF-16, every second byte of ASCII text is 0.
  const zeros = (parity: 0 | 1) => head.filter((byte, at) => byte === 0 && at % 2 === parity).length
  const [even, odd] = [zeros(0), zeros(1)]
  if (even + odd <= head.length / 4) return undefined
  if (even === 0) return 'UTF-16LE'
  return odd === 0 ? 'UTF-16BE' : undefined
}
