import { hostname } from 'node:os'
import { resolve } from 'node:path'

/**
 * Returns commands to paste after the first start. `container` is the name of the service's container outside
 * of it. `console` says whether the console is served.
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

/** Recommends a read-only key for the console. */
function consoleSteps(origin: string, container: string | undefined): readonly string[] {
  const create = 'create --name console --scope read'
  return [
    `Or look at ${origin}/console, with a key that can read alone:`,
    '',
    container === undefined
      ? `npx dossier keys ${create}`
      : `docker exec ${container} node dist/dossier.js keys ${create}`,
    '',
  ]
}

/** Replaces an address that means "all interfaces" by a loopback address that requests can use. */
function reachable(origin: string): string {
  return origin.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}

/**
 * Returns the id of this container, which is its host name by default. Returns a placeholder for a chosen
 * host name.
 */
export function ownContainer(host = hostname()): string {
  return /^[0-9a-f]{12}$/.test(host) ? host : 'CONTAINER'
}

/**
 * Returns the command that prints the key. A path inside a container is not readable outside, so it runs
 * inside.
 */
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
