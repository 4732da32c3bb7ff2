import { expect, test } from '@jest/globals'
import { framesIn, type Frame } from '../../../../examples/subscriber/mirror/server-sent-events.js'

const text =
  'id: 3.0a1b2c3d\nevent: Entered\ndata: {"a":"é: b"}\n\n' +
  '\n: a comment\n\nid: 6\r\n\r\nevent:live\nid: 6\ndata: {}\n\nid: lost\n'
const frames = [
  { id: '3.0a1b2c3d', event: 'Entered', data: '{"a":"é: b"}' },
  { id: '6' },
  { event: 'live', id: '6', data: '{}' },
]

async function framesOf(chunks: readonly Uint8Array[]): Promise<readonly Frame[]> {
  async function* one(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield await Promise.resolve(chunk)
  }
  const read: Frame[] = []
  for await (const frame of framesIn(one())) read.push(frame)
  return read
}

test('the same frames, wherever the stream is cut', async () => {
  const bytes = Buffer.from(text)
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    expect(await framesOf([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(frames)
  }
  expect(await framesOf([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(frames)
})
