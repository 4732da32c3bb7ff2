/** Two commands to paste, for whoever starts the service for the first time. */
export function firstSteps(origin: string, keyPath: string): string {
  return [
    '',
    `A first key was made; it is in ${keyPath}. Create an entity, then record an event:`,
    '',
    curl(`${origin}/entities`, keyPath, { external_id: 'ada', properties: { plan: 'free' } }),
    curl(`${origin}/events`, keyPath, { entity_external_id: 'ada', name: 'login' }),
    '',
  ].join('\n')
}

function curl(url: string, keyPath: string, body: object): string {
  const key = `-H "Authorization: Bearer $(cat ${quoted(keyPath)})"`
  return `curl -sS ${url} ${key} -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
}
