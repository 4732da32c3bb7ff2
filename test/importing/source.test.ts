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
  ])('that is %s yields its text, and its digest is the key', async (_, bytes) => {
    const shares: number[] = []
    const source = await open(fileOf(bytes), shares)
    expect(source.key).toBe(digest)
    expect(await textOf(source.pieces())).toBe(text)
    expect(source.share).toBe(1)
    expect(shares.at(-1)).toBe(1)
    await source.close()
  })

  it('is read without its byte order mark', async () => {
    const source = await open(fileOf(`\uFEFF${text}`))
    expect(await textOf(source.pieces())).toBe(text)
    await source.close()
  })

  it('that grows is read up to its size at opening, and then stops the import', async () => {
    const path = fileOf(text)
    const source = await open(path)
    appendFileSync(path, text)
    const pieces: Buffer[] = []
    const reading = (async () => {
      for await (const piece of source.pieces()) pieces.push(piece)
    })()
    await expect(reading).rejects.toThrow(`changed while it was read`)
    expect(Buffer.concat(pieces).toString()).toBe(text)
    await source.close()
  })

  it('that grows is read to its end when its key is given', async () => {
    const path = fileOf(text)
    const source = await FileSource.open(path, 'monday', () => undefined)
    appendFileSync(path, text)
    expect(await textOf(source.pieces())).toBe(text + text)
    expect(source.share).toBe(1)
    await source.close()
  })

  it.each([
    ['overwritten', text, text.replaceAll('x', 'y')],
    ['cut', text, text.slice(0, -11)],
    ['overwritten, and is gzip', gzipSync(text), gzipSync(text.replaceAll('x', 'y'))],
    ['truncated, and is gzip', gzipSync(text), gzipSync(text).subarray(0, -9)],
  ])(
    'that is %s during reading stops the import with its key in the message',
    async (_, before, after) => {
      const path = fileOf(before)
      const source = await open(path)
      writeFileSync(path, after)
      const wayBack = `npx dossier import ${path} --name ${digest}`
      await expect(textOf(source.pieces())).rejects.toThrow(wayBack)
      await source.close()
    },
  )

  it.each([
    ['truncated gzip', gzipSync(text).subarray(0, 900), /damaged or incomplete gzip file/],
    ['gzip with a wrong byte', gzipSync(text).fill(7, 40, 44), /damaged or incomplete gzip file/],
  ])('of %s stops the import', async (_, bytes, message) => {
    await expect(open(fileOf(bytes))).rejects.toThrow(message)
  })

  it('that is not a regular file stops the import', async () => {
    await expect(open(join(folder(), 'missing'))).rejects.toThrow(/ENOENT/)
    await expect(open(folder())).rejects.toThrow(/is a folder. Name the files in it/)
    await expect(open('/dev/null')).rejects.toThrow(/not a regular file. Use - and --name/)
  })
})

it('standard input in pieces of one byte is unpacked', async () => {
  const packed = gzipSync('{"op":"x"}')
  const source = new StandardInput(
    'a',
    Readable.from([...packed].map((byte) => Buffer.from([byte]))),
  )
  expect(await textOf(source.pieces())).toBe('{"op":"x"}')
})
