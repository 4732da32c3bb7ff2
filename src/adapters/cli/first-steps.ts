import { hostname } from 'node:os'
import { resolve } from 'node:path'

/**
 * Returns the text to print after the first start, with commands to paste. `container` is the name
 * of the service's container, or undefined outside containers. `console` says whether the service
 * serves the console.
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
    `The first API key is in ${place}. Create an entity, then record an event:`,
    '',
    curl(`${origin}/entities`, cat, { external_id: 'ada', properties: { plan: 'free' } }),
    curl(`${origin}/events`, cat, { entity_external_id: 'ada', name: 'login' }),
    '',
    ...(console ? consoleSteps(origin, container) : []),
  ].join('\n')
}

/** Returns the lines that recommend a read-only key for the console. */
function consoleSteps(origin: string, container: string | undefined): readonly string[] {
  const create = 'create --name console --scope read'
  return [
    `Or open ${origin}/console with a key that can only read:`,
    '',
    container === undefined
      ? `npx dossier keys ${create}`
      : `docker exec ${container} node dist/dossier.js keys ${create}`,
    '',
  ]
}

/** Replaces an address that means "all interfaces" by a loopback address, which clients can use. */
function reachable(origin: string): string {
  return origin.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}

/**
 * Returns the id of this container, which is its host name by default. Returns a placeholder when the host name is
 * not an id.
 */
export function ownContainer(host = hostname()): string {
  return /^[0-9a-f]{12}$/.test(host) ? host : 'CONTAINER'
}

/**
 * Returns the command that prints the key. A file in a container is not readable from outside, so
 * the command runs inside the container.
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
