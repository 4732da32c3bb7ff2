import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { HttpConnection } from '../../bench/load/http-connection.js'

const request = 'GET / HTTP/1.1\r\nHost: bench\r\n\r\n'
const reply = 'HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}'

let server: Server
let connection: HttpConnection
let socket: Socket
beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const accepted = once(server, 'connection')
  const { port } = server.address() as AddressInfo
  connection = await HttpConnection.open(`http://127.0.0.1:${String(port)}`)
  ;[socket] = (await accepted) as [Socket]
})
afterEach(async () => {
  connection.close()
  socket.destroy()
  server.close()
  await once(server, 'close')
})

function sent(): Promise<number> {
  return new Promise((answered, failed) => {
    connection.send(request, answered, failed)
  })
}

test('a request is answered with its status', async () => {
  socket.on('data', () => socket.write(reply))
  await expect(sent()).resolves.toBe(201)
  await expect(sent()).resolves.toBe(201)
})

test('a connection that is closed while a request waits fails it', async () => {
  socket.on('data', () => socket.destroy())
  await expect(sent()).rejects.toThrow('the server closed a connection')
})

test('a connection that was closed between two requests fails the next one', async () => {
  socket.on('data', () => socket.end(reply))
  await sent()
  await once(socket, 'close')
  await expect(sent()).rejects.toThrow('the server closed a connection')
})

test('a reply that nobody asked for fails the next request', async () => {
  socket.on('data', () => undefined)
  socket.end(reply)
  await once(socket, 'close')
  await expect(sent()).rejects.toThrow('201 was answered, unasked')
})
