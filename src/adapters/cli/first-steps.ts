import { hostname } from 'node:os'
import { resolve } from 'node:path'

/**
 * Commands to paste, for whoever starts the service for the first time. `container`: the one that the
 * service runs in, as the shell outside it names it. `console`: whether the web page is served.
 */
export function firstSteps(
  address: string,
  keyPath: string,
  { container, console = true }: { container?: string | undefined; console?: boolean } = {},
): string {
  const origin = reachable(address)
  const place = container === undefined ? keyPath : `${resolve(keyPath)} of this container`
  const cat = catOf(keyPath, container)
  return [
    '',
    `A first key was made; it is in ${place}. Create an entity, then record an event:`,
    '',
    curl(`${origin}/entities`, cat, { external_id: 'ada', properties: { plan: 'free' } }),
    curl(`${origin}/events`, cat, { entity_external_id: 'ada', name: 'login' }),
    '',
    ...(console ? consoleSteps(origin, container) : []),
  ].join('\n')
}

/** Whoever looks is better off with a key that can change nothing. */
function consoleSteps(origin: string, container: string | undefined): readonly string[] {
  const create = 'create --name console --scope read'
  return [
    `Or look at ${origin}/console, with a key that can read alone:`,
    '',
    container === undefined
      ? `npm run --silent keys -- ${create}`
      : `docker exec ${container} node dist/keys.js ${create}`,
    '',
  ]
}

/** Listening everywhere is no place to send a request to. */
function reachable(origin: string): string {
  return origin.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}

/** The host name of a container is its id, unless somebody chose another one: then nobody here knows. */
export function ownContainer(host = hostname()): string {
  return /^[0-9a-f]{12}$/.test(host) ? host : 'CONTAINER'
}

/** What prints the key. A path inside a container means nothing to the shell outside it. */
function catOf(keyPath: string, container: string | undefined): string {
  if (container === undefined) return `cat ${quoted(keyPath)}`
  return `docker exec ${container} cat ${quoted(resolve(keyPath))}`
}

function curl(url: string, cat: string, body: object): string {
  const key = `-H "Authorization: Bearer $(${cat})"`
  return `curl -sS ${url} ${key} -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}
