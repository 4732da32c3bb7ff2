import { createHash } from 'node:crypto'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from '@jest/globals'
import { FileSource, StandardInput } from '../../src/importing/source.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const folder = temporaryFolders()
const text = '{"op":"x"}\n'.repeat(200_000)
const digest = createHash('sha256').update(text).digest('hex')

function fileOf(bytes: string | Buffer): string {
  const path = join(folder(), 'file')
  writeFileSync(path, bytes)
  return path
}

const open = (path: string, shares: number[] = []) =>
  FileSource.open(path, undefined, (share) => shares.push(share))

async function textOf(pieces: AsyncIterable<Buffer>): Promise<string> {
  const all: Buffer[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all).toString()
}

describe('a file', () => {
  it.each([
    ['plain', Buffer.from(text)],
    ['gzip, whatever its name', gzipSync(text)],
    [
      'gzip of several members',
      Buffer.concat([gzipSync(text.slice(0, 50)), gzipSync(text.slice(50))]),
    ],
  ])('that is %s has the text, and its digest for a key', async (_, bytes) => {
    const shares: number[] = []
    const source = await open(fileOf(bytes), shares)
    expect(source.key).toBe(digest)
    expect(await textOf(source.pieces())).toBe(text)
    expect(source.share).toBe(1)
    expect(shares.at(-1)).toBe(1)
    await source.close()
  })

  it('that begins with a byte order mark is read without it', async () => {
    const source = await open(fileOf(`\uFEFF${text}`))
    expect(await textOf(source.pieces())).toBe(text)
    await source.close()
  })

  it('that grows is read up to where it was when it was opened', async () => {
    const path = fileOf(text)
    const source = await open(path)
    appendFileSync(path, text)
    expect(await textOf(source.pieces())).toBe(text)
    await source.close()
  })

  it('that is written over meanwhile stops the import', async () => {
    const path = fileOf(text)
    const source = await open(path)
    writeFileSync(path, text.replaceAll('x', 'y'))
    await expect(textOf(source.pieces())).rejects.toThrow(/changed while it was read/)
    await source.close()
  })

  it.each([
    ['UTF-16 with a mark', Buffer.from(`\uFEFF${text}`, 'utf16le'), /UTF-16/],
    ['UTF-16 without one', Buffer.from(text, 'utf16le'), /UTF-16/],
    ['gzip that is cut', gzipSync(text).subarray(0, 900), /damaged gzip file, or a part/],
    ['gzip with a wrong byte', gzipSync(text).fill(7, 40, 44), /damaged gzip file/],
  ])('of %s stops the import', async (_, bytes, message) => {
    await expect(open(fileOf(bytes))).rejects.toThrow(message)
  })

  it('that is none stops the import', async () => {
    await expect(open(join(folder(), 'missing'))).rejects.toThrow(/ENOENT/)
    await expect(open(folder())).rejects.toThrow(/no regular file/)
  })
})

it('standard input, in pieces of a byte, is unpacked too', async () => {
  const packed = gzipSync('{"op":"x"}')
  const source = new StandardInput(
    'a',
    Readable.from([...packed].map((byte) => Buffer.from([byte]))),
  )
  expect(await textOf(source.pieces())).toBe('{"op":"x"}')
})
