import { writeKey } from './write-key.js'

/** Returns the bytes of a POST with a Content-Length and a key that may write. */
export function rawPost(path: string, body: string, headers: readonly string[] = []): string {
  return [
    `POST ${path} HTTP/1.1`,
    ...defaultHeaders,
    `Content-Length: ${String(Buffer.byteLength(body))}`,
    ...headers,
    '',
    body,
  ].join('\r\n')
}

/** Returns the bytes of a POST without its body. */
export function rawPostHead(path: string, headers: readonly string[] = []): string {
  return [`POST ${path} HTTP/1.1`, ...defaultHeaders, ...headers, '', ''].join('\r\n')
}

export function rawGet(path: string, headers: readonly string[] = []): string {
  return [`GET ${path} HTTP/1.1`, 'Host: dossier', ...headers, '', ''].join('\r\n')
}

const defaultHeaders = [
  'Host: dossier',
  `Authorization: Bearer ${writeKey}`,
  'Content-Type: application/json',
]
