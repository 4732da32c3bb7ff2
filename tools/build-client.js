import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { createTar } from 'nanotar'

// Bundles the client into one file, beside which the compiler wrote its types, and packs both into the npm
// package that the service serves. Equal sources give equal bytes.
const compiled = 'dist/client'
const folder = 'dist/client-package'
await build({
  entryPoints: ['src/client/dossier.ts'],
  bundle: true,
  minify: true,
  // Node prints the line of an uncaught error. A short line keeps its message in sight.
  lineLimit: 120,
  format: 'esm',
  target: 'es2022',
  outfile: `${compiled}/dossier.js`,
  logLevel: 'warning',
})

const { version, license, engines } = JSON.parse(await readFile('package.json', 'utf8'))
const manifest = {
  name: 'dossier-client',
  version,
  description: 'The client of Dossier: customer profiles and events over HTTP.',
  license,
  type: 'module',
  engines,
  sideEffects: false,
  exports: { '.': { types: './dossier.d.ts', default: './dossier.js' } },
}

/** The types that callers reach from the entry point, directly or through other types. */
const types = new Set(['dossier.d.ts'])
for (const name of types) {
  const text = await readFile(`${compiled}/${name}`, 'utf8')
  for (const [, module] of text.matchAll(/'\.\/([\w-]+)\.js'/g)) types.add(`${module}.d.ts`)
}

/**
 * Returns the types of the API with the first sentence of each description, so that the package stays small. The whole
 * descriptions are in /openapi.json.
 */
function shortDescriptions(types) {
  return types.replace(/\/\*\*([\s\S]*?)\*\//g, (_, text) => {
    const line = text.replace(/\s*\n\s*\*\s?/g, ' ').trim()
    return `/** ${/^.*?[.:](?=\s|$)/.exec(line)?.[0] ?? line} */`
  })
}

async function packedTypes(name) {
  const text = await readFile(`${compiled}/${name}`, 'utf8')
  const short = name === 'api-types.d.ts' ? shortDescriptions(text) : text
  return short.replace(/^ +/gm, '')
}

const files = [
  ['package.json', `${JSON.stringify(manifest, null, 2)}\n`],
  ['README.md', await readFile('src/client/README.md', 'utf8')],
  ['dossier.js', await readFile(`${compiled}/dossier.js`, 'utf8')],
  ...(await Promise.all([...types].sort().map(async (name) => [name, await packedTypes(name)]))),
]
/** Of every file, so that the bytes do not depend on the time and the user of the build. */
const attrs = { mode: '644', uid: 0, gid: 0, mtime: Date.UTC(2026, 0) }
const tar = createTar(files.map(([name, data]) => ({ name: `package/${name}`, data, attrs })))
const script = await readFile(`${compiled}/dossier.js`)
await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
await writeFile(`${folder}/client.tgz`, gzipSync(tar, { level: 9 }))
await writeFile(`${folder}/client.js`, script)
await writeFile(`${folder}/client.js.gz`, gzipSync(script, { level: 9 }))
