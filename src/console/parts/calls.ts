/** A request that a page has sent or that an action sends, for use in other programs. It never contains the key. */
export interface Call {
  /** The path and query of the request below the service's address, such as `/entities/ada`. */
  readonly path: string
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** The call of the client that sends the request: `dossier.entities.get('ada')`. */
  readonly code: string
}

/** Quotes a word for a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

export function curlOf({ method = 'GET', path, body, headers = {} }: Call): string {
  const url = new URL('.', location.href)
  const words = ['curl -sS']
  if (method !== 'GET') words.push(`-X ${method}`)
  words.push(quoted(url.origin + url.pathname.replace(/\/$/, '') + path))
  words.push('-H "Authorization: Bearer $DOSSIER_KEY"')
  for (const [name, value] of Object.entries(headers))
    words.push(`-H ${quoted(`${name}: ${value}`)}`)
  if (body !== undefined) {
    words.push(`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`)
  }
  return words.join(' ')
}

export function codeOf({ code }: Call): string {
  const url = new URL('.', location.href)
  return [
    `import { Dossier } from 'dossier-client'`,
    `const dossier = new Dossier({ url: ${literal(url.origin + url.pathname)}, key: process.env.DOSSIER_KEY })`,
    code,
  ].join('\n')
}

/** Returns a value as a JavaScript literal. */
export function literal(value: unknown): string {
  return JSON.stringify(value)
}
