/** A request that a page made or an action sends, to be used elsewhere. The key is never in it. */
export interface Call {
  /** The path and query of the request below the service's address, such as `/entities/ada`. */
  readonly path: string
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** The same by the client: `dossier.entities.get('ada')`. */
  readonly code: string
}

/** A word that a shell takes as it is. */
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
