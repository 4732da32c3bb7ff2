import { hostname } from 'node:os'
import { relative, resolve } from 'node:path'

interface FirstStepsOptions {
  /** The path of the program `dossier.js`. */
  readonly program: string
  /** The name of the service's container. Undefined outside containers. */
  readonly container?: string | undefined
  /** Whether the service serves the console. */
  readonly console?: boolean
}

/** Returns the text to print after the first start, with commands to paste in the folder of the service. */
export function firstSteps(
  address: string,
  keyPath: string,
  { program, container, console = true }: FirstStepsOptions,
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
    ...(console ? consoleSteps(origin, program, container) : []),
  ].join('\n')
}

/** Returns the lines that recommend a read-only key for the console. */
function consoleSteps(
  origin: string,
  program: string,
  container: string | undefined,
): readonly string[] {
  const create = 'create --name console --scope read'
  return [
    `Or open ${origin}/console with a key that can only read:`,
    '',
    container === undefined
      ? `node ${quoted(shortest(program))} keys ${create}`
      : `docker exec ${container} node dist/dossier.js keys ${create}`,
    '',
  ]
}

/** Returns the relative path of a file below the working directory, and the absolute path of any other file. */
function shortest(path: string): string {
  const below = relative('', path)
  return below.startsWith('..') ? path : below
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
