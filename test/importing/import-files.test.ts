import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from '@jest/globals'
import { importFiles } from '../../src/importing/import-files.js'
import type { Sender } from '../../src/importing/import-source.js'
import { ImportStopped } from '../../src/importing/import-stopped.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()

/** A service that accepts and stores everything. */
class StoringService implements Sender {
  readonly items: unknown[] = []

  async *batchJson(items: Parameters<Sender['batchJson']>[0]): ReturnType<Sender['batchJson']> {
    for await (const { json: item } of items) {
      this.items.push(JSON.parse(item))
      yield { item, status: 201, data: { updated_at: '' }, position: '1', replayed: false }
    }
  }

  async *messagesJson(
    items: Parameters<Sender['messagesJson']>[0],
  ): ReturnType<Sender['messagesJson']> {
    for await (const { json: item } of items) {
      this.items.push(JSON.parse(item))
      yield { item }
    }
  }
}

const nothing = () => undefined
const silent = { begin: nothing, done: nothing, waits: nothing, end: nothing }

/** Imports a file with these bytes. Returns the sent items, the refused lines and the messages. */
async function imported(bytes: string | Buffer, name = 'file') {
  const path = join(folder(), name)
  writeFileSync(path, bytes)
  const service = new StoringService()
  let account = ''
  const options = { url: '', key: '', maxItems: 10, concurrency: 1, timeoutMs: 1_000 }
  const ended = await importFiles({ files: [path], name: undefined, ...options }, service, silent, {
    input: Readable.from([]),
    result: (text) => {
      account += text
    },
  }).catch((error: unknown) => {
    if (error instanceof ImportStopped) return error.message
    throw error
  })
  const refused = `${path}.refused.ndjson`
  return {
    ended,
    account,
    sent: service.items,
    refused: existsSync(refused) ? readFileSync(refused, 'utf8').trim().split('\n') : [],
  }
}

const [ann, bob] = [
  { op: 'update_entity', external_id: 'm1', upsert: true, set: { name: 'Ann' } },
  { op: 'update_entity', external_id: 'm2', upsert: true, set: { name: 'Bob' } },
]
const rows = ['external_id,name', 'm1,Ann', 'm2,Bob']
const csv = rows.join('\n')
const json = [ann, bob].map((one) => JSON.stringify(one))
const ndjson = json.join('\n')

describe('a file is imported in each form', () => {
  it.each<[string, string, string | Buffer]>([
    ['CSV with line feeds', 'file', csv],
    ['CSV with carriage returns', 'file', rows.join('\r')],
    ['CSV with carriage returns, including one at the end', 'file', `${rows.join('\r')}\r`],
    ['CSV with a carriage return only after its header', 'file', csv.replace('\n', '\r')],
    ['CSV with both', 'file', `${rows.join('\r\n')}\r\n`],
    ['CSV with semicolons', 'file', csv.replaceAll(',', ';')],
    ['CSV with tabs', 'file', csv.replaceAll(',', '\t')],
    ['CSV with semicolons, quoted', 'file', '"external_id:text";"name"\r\nm1;"Ann"\r\nm2;"Bob"'],
    ['CSV with its ids in the second column', 'file', 'name\texternal_id\nAnn\tm1\nBob\tm2'],
    ['CSV with a byte order mark', 'file', `\uFEFF${rows.join('\r')}`],
    ['CSV in gzip with carriage returns', 'file', gzipSync(rows.join('\r'))],
    ['CSV with the name of NDJSON', 'file.ndjson', csv],
    ['NDJSON with the name of CSV', 'file.csv', ndjson],
    ['NDJSON with carriage returns', 'file', json.join('\r')],
    ['NDJSON with carriage returns, in gzip', 'file.csv', gzipSync(`${json.join('\r')}\r`)],
  ])('%s', async (_, name, bytes) => {
    const { ended, sent, refused } = await imported(bytes, name)
    expect({ ended, refused }).toEqual({ ended: true, refused: [] })
    expect(sent).toMatchObject([ann, bob])
  })

  it('an empty file without lines', async () => {
    for (const bytes of ['', '\uFEFF', gzipSync('')]) {
      expect(await imported(bytes)).toMatchObject({ ended: true, sent: [] })
    }
  })
})

const zip = 'PK\x03\x04\x14\0\0\0'
const tar = `${'customers.csv'.padEnd(257, '\0')}ustar\0`

describe('a file is refused with advice', () => {
  it.each<[string, string | Buffer, RegExp]>([
    ['UTF-16 with a mark', Buffer.from(`\uFEFF${csv}`, 'utf16le'), /iconv -f UTF-16 -t UTF-8/],
    ['UTF-16 without one', Buffer.from(csv, 'utf16le'), /iconv -f UTF-16LE/],
    ['UTF-16, the high byte first', Buffer.from(ndjson, 'utf16le').swap16(), /iconv -f UTF-16BE/],
    ['UTF-16 in gzip', gzipSync(Buffer.from(csv, 'utf16le')), /iconv -f UTF-16LE/],
    ['UTF-32', Buffer.from('fffe000065000000', 'hex'), /iconv -f UTF-32/],
    ['.xlsx', Buffer.from(zip, 'latin1'), /zip file, such as .xlsx.* Export its table as CSV/],
    ['.xlsx in gzip', gzipSync(Buffer.from(zip, 'latin1')), /zip file/],
    ['.xls', Buffer.from('d0cf11e0a1b11ae1', 'hex'), /such as \.xls.* Export its table as CSV/],
    ['.parquet', 'PAR1\x15\0\x15', /Parquet file.* Export its table as CSV/],
    ['Avro', 'Obj\x01\x04', /Avro/],
    ['SQLite', 'SQLite format 3\0', /SQLite/],
    ['PDF', '%PDF-1.7\n', /PDF/],
    ['gzip in gzip', gzipSync(gzipSync(csv)), /gzip twice.*zcat FILE/],
    ['zstd', Buffer.from('28b52ffd04', 'hex'), /zstd -dc FILE/],
    ['bzip2', 'BZh91AY&SY', /bzip2 -dc FILE/],
    ['xz', Buffer.from('fd377a585a00', 'hex'), /xz -dc FILE/],
    ['7z', Buffer.from('377abcaf271c', 'hex'), /7z x -so FILE/],
    ['tar', tar, /tar -xOf FILE/],
    ['HTML', '<!DOCTYPE html>\n<html>', /HTML.*why a download failed/],
    ['XML', '\uFEFF<?xml version="1.0"?>', /XML/],
    ['an array of JSON', `[${json.join(', ')}]`, /jq -c '\.\[\]' FILE/],
    ['an array of JSON over lines', `[\n${json.join(',\n')}\n]\n`, /jq -c '\.\[\]' FILE/],
    ['JSON over lines', JSON.stringify(ann, undefined, 2), /jq -c '\.' FILE/],
    ['JSON over lines with carriage returns', `{\r\n"op":"x"}`, /jq -c '\.' FILE/],
    ['binary data', Buffer.from('0001020304', 'hex'), /NUL byte/],
    ['text', 'Dear Ann,\n', /column external_id.* commas, semicolons or tabs/],
    ['CSV separated by bars', csv.replaceAll(',', '|'), /commas, semicolons or tabs/],
    ['CSV whose header is in Latin-1', Buffer.from('external_id,pr\xe9nom\n', 'latin1'), /iconv/],
    ['CSV with U+2028', rows.join('\u2028'), /line separator.* one row per line/],
    ['CSV with U+0085', rows.join('\u0085'), /line separator.* one row per line/],
    ['CSV with NUL', rows.join('\0'), /NUL byte/],
    ['CSV with a space before a name', csv.replaceAll(',', ', '), /" name".* remove the spaces/],
    ['CSV with a space after a name', csv.replace('name', 'name '), /"name ".* remove the spaces/],
    ['CSV with a space before a type', 'external_id,age : number\nm1,1', /remove the spaces/],
  ])('%s', async (_, bytes, message) => {
    const { ended, sent } = await imported(bytes)
    expect(ended).toMatch(message)
    expect(sent).toEqual([])
  })

  it.each([
    ['a header without rows', 'external_id,name\n'],
    ['a header without a line end', 'external_id,name m1,Ann m2,Bob'],
    ['blank lines', '\n\n'],
  ])('%s, without storing anything', async (_, bytes) => {
    const { ended, account } = await imported(bytes)
    expect(ended).toBe(false)
    expect(account).toMatch(/nothing stored {2}no line contains anything to store/)
  })
})

describe('a line is refused, and the other lines are stored', () => {
  it.each<[string, string | Buffer, string]>([
    ['that has Latin-1', Buffer.from(`${csv}\nm3,\xe9`, 'latin1'), 'not_utf8'],
    ['that has a NUL byte', `${csv}\nm3,\0`, 'malformed_csv'],
    ['that has a carriage return', `${csv}\nm3,a\rb`, 'malformed_csv'],
    ['that has a decimal comma', `${csv}\nm3,1,5`, 'malformed_csv'],
    ['that has objects in a row', `${ndjson}\n${json.join('\u2028')}`, 'malformed_json'],
    ['that has a NUL byte in NDJSON', `${ndjson}\n{"op":"\0"}`, 'malformed_json'],
  ])('%s', async (_, bytes, code) => {
    const { ended, sent, refused } = await imported(bytes)
    expect(ended).toBe(false)
    expect(sent).toMatchObject([ann, bob])
    expect(refused.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ code }])
  })
})
